#include "reports/record.h"

#include <stdexcept>

#include "reports/record_fields.h"
#include "reports/record_limits.h"

namespace fairwire {
namespace {

template <typename Enum, size_t count>
std::string word_of(Enum value, const Words<Enum, count>& words) {
  for (const auto& [known, word] : words) {
    if (known == value) return std::string(word);
  }
  throw std::range_error("an enumeration holds a value without a word");
}

// Writes what a visitor's fields hold. A value that the reader would refuse is refused here: one
// bad line would make the whole file unreadable. Throws std::range_error naming the field.
class FieldWriter {
 public:
  template <typename T>
  using Ref = const T&;

  Json take() { return std::move(members_); }
  static bool since(int) { return true; }  // files are written in the newest schema

  void text(std::string_view key, const std::string& value) { add(key, readable_text(value)); }
  void boolean(std::string_view key, bool value) { add(key, value); }
  void count(std::string_view key, int64_t value) { integer(key, value, kMaximumCount); }
  void stamp(std::string_view key, int64_t value) { integer(key, value, kMaximumStamp); }
  void number(std::string_view key, double value) { add(key, value); }
  void seed(std::string_view key, uint64_t value) { add(key, std::to_string(value)); }
  void name(std::string_view key, const std::string& value) { add(key, escaped_name(value)); }

  void sample(std::string_view key, int64_t value) {
    if (value == -1) {
      add(key, nullptr);
    } else {
      count(key, value);
    }
  }
  void digest(std::string_view key, const std::string& value) {
    if (!is_digest(value)) refuse(key, "is not 64 lower-case hex digits: \"" + value + "\"");
    add(key, value);
  }
  void one_of(std::string_view key, const std::string& value,
              std::initializer_list<std::string_view> words) {
    if (!is_one_of(value, words)) refuse(key, "holds an unknown word: \"" + value + "\"");
    add(key, value);
  }
  template <typename Enum, size_t count>
  void word(std::string_view key, Enum value, const Words<Enum, count>& words) {
    add(key, word_of(value, words));
  }
  template <typename Enum, size_t count>
  void words(std::string_view key, const std::vector<Enum>& values,
             const Words<Enum, count>& known) {
    Json::Array items;
    for (const Enum value : values) items.emplace_back(word_of(value, known));
    add(key, std::move(items));
  }
  void texts(std::string_view key, const std::vector<std::string>& values) {
    Json::Array items;
    for (const std::string& value : values) items.emplace_back(readable_text(value));
    add(key, std::move(items));
  }
  void object(std::string_view key, const Json& value) {
    if (!value.is_null() && value.if_object() == nullptr) refuse(key, "is not an object");
    add(key, readable_json(value));
  }
  template <typename T>
  void list(std::string_view key, const std::vector<T>& values, size_t limit = kMaximumItems) {
    if (values.size() > limit) refuse(key, "has too many items");
    Json::Array items;
    items.reserve(values.size());
    for (const T& value : values) {
      FieldWriter inner;
      visit_fields(inner, value);
      items.push_back(inner.take());
    }
    add(key, std::move(items));
  }
  // The keys of one record are distinct, so nothing is searched for.
  void add(std::string_view key, Json value) {
    members_.emplace_back(std::string(key), std::move(value));
  }

 private:
  [[noreturn]] static void refuse(std::string_view key, const std::string& why) {
    throw std::range_error("a record's \"" + std::string(key) + "\" " + why);
  }
  void integer(std::string_view key, int64_t value, int64_t high) {
    if (value < 0 || value > high) refuse(key, "is out of bounds: " + std::to_string(value));
    add(key, value);
  }

  Json::Object members_;
};

std::string_view type_of(const Record& record) {
  static constexpr std::string_view kTypes[] = {"header", "calibration", "trial",
                                                "note",   "published",   "end"};
  return kTypes[record.index()];
}

}  // namespace

std::string to_string(Outcome outcome) {
  return word_of(outcome, kOutcomes);
}

std::string to_string(Verdict verdict) {
  return word_of(verdict, kVerdicts);
}

std::string to_string(Flag flag) {
  return word_of(flag, kFlags);
}

Verdict worst(Verdict a, Verdict b) {
  if (a == Verdict::different || b == Verdict::different) return Verdict::different;
  if (a == Verdict::unknown || b == Verdict::unknown) return Verdict::unknown;
  return Verdict::identical;
}

Json to_json(const Record& record) {
  FieldWriter writer;
  writer.add("type", type_of(record));
  if (std::holds_alternative<HeaderRecord>(record)) writer.add("schema", kResultsSchema);
  std::visit([&](const auto& fields) { visit_fields(writer, fields); }, record);
  return writer.take();
}

}  // namespace fairwire
