#include <charconv>

#include "base/error.h"
#include "reports/record.h"
#include "reports/record_fields.h"
#include "reports/record_limits.h"

namespace fairwire {
namespace {

// Where in a line a value stands. Pointers are spelled out only for an error: a trial has some
// two hundred fields, and a file ten thousand trials.
struct Place {
  const Place* parent;
  std::string_view key;
  size_t index;
  const std::string* file;
  int64_t line;

  std::string pointer() const {
    if (parent == nullptr) return "";
    return parent->pointer() + "/" + (key.empty() ? std::to_string(index) : std::string(key));
  }
  Place below(std::string_view member) const { return {this, member, 0, file, line}; }
  Place below(size_t item) const { return {this, {}, item, file, line}; }

  [[noreturn]] void fail(const std::string& reason) const {
    const std::string where = pointer();
    throw FormatError(*file, "line " + std::to_string(line),
                      where.empty() ? reason : where + ": " + reason);
  }
};

const std::string& string_at(const Json& json, const Place& place) {
  if (const std::string* text = json.if_string()) return *text;
  place.fail("must be a string");
}

int64_t integer_at(const Json& json, const Place& place, int64_t high) {
  const int64_t* number = json.if_int();
  if (number == nullptr) place.fail("must be an integer");
  if (*number < 0 || *number > high) {
    place.fail("must be from 0 to " + std::to_string(high) + ", not " + std::to_string(*number));
  }
  return *number;
}

template <typename Enum, size_t count>
Enum word_at(const Json& json, const Place& place, const Words<Enum, count>& words) {
  const std::string& text = string_at(json, place);
  std::string all;
  for (const auto& [value, word] : words) {
    if (word == text) return value;
    all += all.empty() ? "" : ", ";
    all += word;
  }
  place.fail("\"" + text + "\" is none of: " + all);
}

const Json::Array& array_at(const Json& json, const Place& place, size_t limit) {
  const auto* items = json.if_array();
  if (items == nullptr) place.fail("must be an array");
  if (items->size() > limit) place.fail("has more than " + std::to_string(limit) + " items");
  return *items;
}

// Fills a record's fields from one JSON object; close() refuses what no field asked for.
class FieldReader {
 public:
  template <typename T>
  using Ref = T&;

  FieldReader(const Json& json, const Place& place, int schema)
      : place_(place), members_(json.if_object()), schema_(schema) {
    if (members_ == nullptr) place_.fail("must be an object");
  }

  bool since(int schema) const { return schema_ >= schema; }

  void text(std::string_view key, std::string& value) {
    value = string_at(member(key), place_.below(key));
  }
  void boolean(std::string_view key, bool& value) {
    const bool* flag = member(key).if_bool();
    if (flag == nullptr) place_.below(key).fail("must be true or false");
    value = *flag;
  }
  void count(std::string_view key, int64_t& value) {
    value = integer_at(member(key), place_.below(key), kMaximumCount);
  }
  void stamp(std::string_view key, int64_t& value) {
    value = integer_at(member(key), place_.below(key), kMaximumStamp);
  }
  void sample(std::string_view key, int64_t& value) {
    const Json& json = member(key);
    value = json.is_null() ? -1 : integer_at(json, place_.below(key), kMaximumCount);
  }
  void number(std::string_view key, double& value) {
    const auto real = member(key).if_number();
    if (!real) place_.below(key).fail("must be a number");
    value = *real;
  }
  void seed(std::string_view key, uint64_t& value) {
    const std::string& digits = string_at(member(key), place_.below(key));
    const char* end = digits.data() + digits.size();
    const auto parsed = std::from_chars(digits.data(), end, value);
    if (parsed.ec != std::errc{} || parsed.ptr != end) {
      place_.below(key).fail("must be a number from 0 to 2^64 - 1, as decimal text");
    }
  }
  void name(std::string_view key, std::string& value) {
    text(key, value);
    const auto bytes = unescape_name(value);
    if (!bytes || escape_name(*bytes) != value) place_.below(key).fail("is not an escaped name");
  }
  void digest(std::string_view key, std::string& value) {
    text(key, value);
    if (!is_digest(value)) place_.below(key).fail("must be 64 lower-case hex digits or empty");
  }
  void one_of(std::string_view key, std::string& value,
              std::initializer_list<std::string_view> words) {
    text(key, value);
    if (!is_one_of(value, words)) place_.below(key).fail("unknown word \"" + value + "\"");
  }
  template <typename Enum, size_t count>
  void word(std::string_view key, Enum& value, const Words<Enum, count>& words) {
    value = word_at(member(key), place_.below(key), words);
  }
  template <typename Enum, size_t count>
  void words(std::string_view key, std::vector<Enum>& values, const Words<Enum, count>& known) {
    const Place place = place_.below(key);
    for (const Json& item : array_at(member(key), place, kMaximumItems)) {
      values.push_back(word_at(item, place.below(values.size()), known));
    }
  }
  void texts(std::string_view key, std::vector<std::string>& values) {
    const Place place = place_.below(key);
    for (const Json& item : array_at(member(key), place, kMaximumItems)) {
      values.push_back(string_at(item, place.below(values.size())));
    }
  }
  void object(std::string_view key, Json& value) {
    value = member(key);
    if (!value.is_null() && value.if_object() == nullptr) {
      place_.below(key).fail("must be an object or null");
    }
  }
  template <typename T>
  void list(std::string_view key, std::vector<T>& values, size_t limit = kMaximumItems) {
    const Place place = place_.below(key);
    const Json::Array& items = array_at(member(key), place, limit);
    values.reserve(items.size());
    for (const Json& item : items) {
      const Place inner_place = place.below(values.size());
      FieldReader inner(item, inner_place, schema_);
      visit_fields(inner, values.emplace_back());
      inner.close();
    }
  }

  const Json& member(std::string_view key) {
    asked_.push_back(key);
    // Our writer keeps the order, so the next member is nearly always the one asked for.
    if (const size_t next = asked_.size() - 1;
        next < members_->size() && (*members_)[next].first == key) {
      return (*members_)[next].second;
    }
    for (const auto& [name, value] : *members_) {
      if (name == key) return value;
    }
    place_.fail("\"" + std::string(key) + "\" is missing");
  }

  void close() const {
    if (asked_.size() == members_->size()) return;
    for (const auto& [name, value] : *members_) {
      bool known = false;
      for (const std::string_view key : asked_) known = known || key == name;
      if (!known) place_.below(name).fail("unknown key");
    }
  }

 private:
  const Place& place_;
  const Json::Object* members_;
  int schema_;
  std::vector<std::string_view> asked_;
};

template <typename T>
Record read_fields(FieldReader& reader) {
  T record;
  visit_fields(reader, record);
  reader.close();
  return record;
}

}  // namespace

int declared_schema(const Json& json) {
  const Json* type = json.find("type");
  if (type == nullptr || type->if_string() == nullptr || *type->if_string() != "header") return 0;
  const Json* schema = json.find("schema");
  const int64_t* number = schema == nullptr ? nullptr : schema->if_int();
  if (number == nullptr || *number < kOldestResultsSchema || *number > kResultsSchema) return 0;
  return static_cast<int>(*number);
}

Record record_from_json(const Json& json, const std::string& file, int64_t line, int schema) {
  const Place place{nullptr, {}, 0, &file, line};
  const int own = declared_schema(json);
  FieldReader reader(json, place, own == 0 ? schema : own);
  const std::string& type = string_at(reader.member("type"), place.below("type"));
  if (type == "trial") return read_fields<TrialRecord>(reader);
  if (type == "calibration") return read_fields<CalibrationRecord>(reader);
  if (type == "note") return read_fields<NoteRecord>(reader);
  if (type == "published") return read_fields<PublishedRecord>(reader);
  if (type == "end") return read_fields<EndRecord>(reader);
  if (type != "header") place.below("type").fail("unknown record type \"" + type + "\"");
  const int64_t number = integer_at(reader.member("schema"), place.below("schema"), kMaximumCount);
  if (own == 0) {
    place.below("schema").fail("this fairwire reads schemas " +
                               std::to_string(kOldestResultsSchema) + " to " +
                               std::to_string(kResultsSchema) + ", not " + std::to_string(number));
  }
  return read_fields<HeaderRecord>(reader);
}

}  // namespace fairwire
