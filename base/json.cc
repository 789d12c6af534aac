#include "base/json.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_set>

#include "base/error.h"
#include "base/file_descriptor.h"

namespace fairwire {
namespace {

constexpr size_t kMaximumDepth = 64;

std::string line_and_column(std::string_view text, size_t position) {
  const std::string_view before = text.substr(0, position);
  size_t line = 1;
  size_t column = 1;
  for (const char c : before) {
    ++column;
    if (c == '\n') {
      ++line;
      column = 1;
    }
  }
  return "line " + std::to_string(line) + ", column " + std::to_string(column);
}

std::string pointer_token(std::string_view key) {
  std::string token = "/";
  for (const char c : key) {
    if (c == '~') {
      token += "~0";
    } else if (c == '/') {
      token += "~1";
    } else {
      token += c;
    }
  }
  return token;
}

// Builds our values from the parser's events; refuses what our formats never hold.
class Builder final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Builder(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(Json()); }
  bool boolean(bool value) override { return add(Json(value)); }
  bool number_integer(int64_t value) override { return add(Json(value)); }
  bool number_unsigned(uint64_t value) override {
    if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      refuse("an integer above 2^63 - 1");
    }
    return add(Json(static_cast<int64_t>(value)));
  }
  bool number_float(double value, const std::string& text) override {
    // The parser calls an integer that is too long for 64 bits a real: it would lose digits.
    if (text.find_first_of(".eE") == std::string::npos) {
      refuse("an integer outside -2^63 ... 2^63 - 1: " + text);
    }
    if (!std::isfinite(value)) refuse("a number out of range: " + text);
    return add(Json(value));
  }
  bool string(std::string& value) override { return add(Json(std::move(value))); }
  bool binary(nlohmann::json::binary_t&) override { return false; }
  bool start_object(size_t) override { return open(Json(Json::Object{})); }
  bool start_array(size_t) override { return open(Json(Json::Array{})); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    const bool is_new = open_.back().keys.insert(name).second;
    open_.back().key = std::move(name);
    if (!is_new) refuse("the key occurs twice");
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::json::exception& error) override {
    // "[kind.number] parse error at line 1, column 2: reason" or "[kind.number] reason"
    std::string_view reason = error.what();
    const std::string_view start = reason.substr(0, reason.find(", column "));
    const size_t end =
        start.size() < reason.size() ? reason.find(": ", start.size()) + 2 : reason.find("] ") + 2;
    reason.remove_prefix(std::min(end, reason.size()));
    throw FormatError(file_, line_and_column(text_, position > 0 ? position - 1 : 0),
                      escape_name(reason));
  }

 private:
  struct Open {
    Json value;
    std::string key;  // of the member that comes next
    std::unordered_set<std::string> keys;
  };

  [[noreturn]] void refuse(const std::string& reason) { throw FormatError(file_, here(), reason); }

  std::string here() const {
    std::string pointer;
    for (const Open& open : open_) {
      const auto* items = open.value.if_array();
      pointer += items != nullptr ? "/" + std::to_string(items->size()) : pointer_token(open.key);
    }
    return pointer.empty() ? "/" : pointer;
  }

  bool add(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else {
      Json& parent = open_.back().value;
      if (parent.if_array() != nullptr) {
        parent.push(std::move(value));
      } else {  // keys are known to be new: append, never search (constant cost per member)
        const_cast<Json::Object*>(parent.if_object())
            ->emplace_back(std::move(open_.back().key), std::move(value));
      }
    }
    return true;
  }
  bool open(Json value) {
    if (open_.size() >= kMaximumDepth) refuse("nested deeper than 64 levels");
    open_.push_back({std::move(value), {}, {}});
    return true;
  }
  bool close() {
    Json value = std::move(open_.back().value);
    open_.pop_back();
    return add(std::move(value));
  }

  std::string_view text_;
  const std::string& file_;
  std::vector<Open> open_;
  Json root_;
};

struct Utf8Sequence {
  size_t length = 0;  // 0: what stands there is not UTF-8
  uint32_t code = 0;
};

// The sequence at the start of `bytes`, which is not empty.
Utf8Sequence first_sequence(std::string_view bytes) {
  const auto at = [&](size_t i) { return static_cast<unsigned char>(bytes[i]); };
  const unsigned char first = at(0);
  if (first < 0x80) return {1, first};
  const size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || bytes.size() < length) return {};
  uint32_t code = first & (0x7fu >> length);
  for (size_t i = 1; i < length; ++i) {
    if ((at(i) & 0xc0) != 0x80) return {};
    code = code << 6 | (at(i) & 0x3fu);
  }
  constexpr uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kSmallest[length] || code > 0x10ffff) return {};
  if (code >= 0xd800 && code <= 0xdfff) return {};  // surrogates are not UTF-8
  return {length, code};
}

// Whether a character may be shown as it is: it must not drive a terminal nor reorder a line.
bool is_printable(uint32_t code) {
  if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return false;  // C0, DEL, C1
  if (code >= 0x202a && code <= 0x202e) return false;              // bidirectional overrides
  return code < 0x2066 || code > 0x2069;                           // bidirectional isolates
}

size_t printable_sequence(std::string_view bytes) {
  const Utf8Sequence sequence = first_sequence(bytes);
  return sequence.length > 0 && is_printable(sequence.code) ? sequence.length : 0;
}

void write_control(std::string& out, unsigned char byte) {
  static constexpr char kDigits[] = "0123456789abcdef";
  switch (byte) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\r':
      out += "\\r";
      break;
    default:
      out += "\\u00";
      out += kDigits[byte >> 4];
      out += kDigits[byte & 15];
  }
}

// Bytes that are not UTF-8 become U+FFFD: what we write must always be JSON.
void write_string(std::string& out, std::string_view text) {
  out += '"';
  while (!text.empty()) {
    const auto [length, code] = first_sequence(text);
    if (length == 0) {
      out += "\\ufffd";
    } else if (code < 0x20 || code == '"' || code == '\\' || code == 0x7f) {
      write_control(out, static_cast<unsigned char>(code));
    } else {
      out += text.substr(0, length);
    }
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  out += '"';
}

void write_real(std::string& out, double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  const std::string_view text(buffer, static_cast<size_t>(end - buffer));
  out += text;
  if (text.find_first_of(".e") == std::string_view::npos) out += ".0";  // it stays a real
}

// `indent` < 0 writes one line.
void write_value(std::string& out, const Json& json, int indent) {
  const auto new_line = [&](int depth) {
    if (indent < 0) return;
    out += '\n';
    out.append(static_cast<size_t>(2 * depth), ' ');
  };
  const int inner = indent < 0 ? -1 : indent + 1;
  if (const bool* flag = json.if_bool()) {
    out += *flag ? "true" : "false";
  } else if (const int64_t* number = json.if_int()) {
    out += std::to_string(*number);
  } else if (const std::string* text = json.if_string()) {
    write_string(out, *text);
  } else if (const auto* items = json.if_array()) {
    out += '[';
    for (size_t i = 0; i < items->size(); ++i) {
      if (i > 0) out += ',';
      new_line(inner);
      write_value(out, (*items)[i], inner);
    }
    if (!items->empty()) new_line(indent);
    out += ']';
  } else if (const auto* members = json.if_object()) {
    out += '{';
    for (size_t i = 0; i < members->size(); ++i) {
      if (i > 0) out += ',';
      new_line(inner);
      write_string(out, (*members)[i].first);
      out += indent < 0 ? ":" : ": ";
      write_value(out, (*members)[i].second, inner);
    }
    if (!members->empty()) new_line(indent);
    out += '}';
  } else if (const auto real = json.if_number()) {
    write_real(out, *real);
  } else {
    out += "null";
  }
}

std::string join_words(std::span<const std::string_view> words) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += ", ";
    joined += word;
  }
  return joined;
}

}  // namespace

Json::Json(uint64_t value) {
  if (value > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
    throw std::range_error("an integer above 2^63 - 1 has no place in a record");
  }
  value_ = static_cast<int64_t>(value);
}

Json::Json(double value) : value_(value) {
  if (!std::isfinite(value))
    throw std::range_error("a number that is not finite has no place in JSON");
}

std::optional<double> Json::if_number() const {
  if (const auto* integer = std::get_if<int64_t>(&value_)) return static_cast<double>(*integer);
  if (const auto* real = std::get_if<double>(&value_)) return *real;
  return std::nullopt;
}

Json& Json::set(std::string_view key, Json value) {
  if (is_null()) value_ = Object{};
  auto& members = std::get<Object>(value_);
  for (auto& [name, old] : members) {
    if (name == key) {
      old = std::move(value);
      return *this;
    }
  }
  members.emplace_back(std::string(key), std::move(value));
  return *this;
}

Json& Json::push(Json value) {
  if (is_null()) value_ = Array{};
  std::get<Array>(value_).push_back(std::move(value));
  return *this;
}

const Json* Json::find(std::string_view key) const {
  const auto* members = if_object();
  if (members == nullptr) return nullptr;
  for (const auto& [name, value] : *members) {
    if (name == key) return &value;
  }
  return nullptr;
}

Json Json::parse(std::string_view text, const std::string& file) {
  Builder builder(text, file);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

Json Json::parse_file(const std::string& path, size_t limit) {
  return parse(read_file(path, limit), path);
}

std::string Json::dump() const {
  std::string out;
  write_value(out, *this, -1);
  return out;
}

std::string Json::dump_pretty() const {
  std::string out;
  write_value(out, *this, 0);
  return out + '\n';
}

void JsonView::fail(std::string_view reason) const {
  throw FormatError(file_, pointer_.empty() ? "/" : pointer_, std::string(reason));
}

JsonView JsonView::at(std::string_view key) const {
  if (auto member = find(key)) return *member;
  fail("\"" + std::string(key) + "\" is missing");
}

std::optional<JsonView> JsonView::find(std::string_view key) const {
  if (json_->if_object() == nullptr) fail("must be an object");
  const Json* member = json_->find(key);
  if (member == nullptr) return std::nullopt;
  return JsonView(*member, file_, pointer_ + pointer_token(key));
}

std::vector<JsonView> JsonView::items() const {
  const auto* array = json_->if_array();
  if (array == nullptr) fail("must be an array");
  std::vector<JsonView> views;
  for (const Json& item : *array) {
    views.emplace_back(item, file_, pointer_ + "/" + std::to_string(views.size()));
  }
  return views;
}

std::vector<std::pair<std::string, JsonView>> JsonView::members() const {
  const auto* object = json_->if_object();
  if (object == nullptr) fail("must be an object");
  std::vector<std::pair<std::string, JsonView>> views;
  for (const auto& [name, value] : *object) {
    views.emplace_back(name, JsonView(value, file_, pointer_ + pointer_token(name)));
  }
  return views;
}

std::string JsonView::as_string() const {
  if (const std::string* text = json_->if_string()) return *text;
  fail("must be a string");
}

std::string JsonView::as_nonempty_string() const {
  std::string text = as_string();
  if (text.empty()) fail("must not be empty");
  return text;
}

bool JsonView::as_bool() const {
  if (const bool* flag = json_->if_bool()) return *flag;
  fail("must be true or false");
}

int64_t JsonView::as_int(int64_t low, int64_t high) const {
  const int64_t* number = json_->if_int();
  if (number == nullptr) fail("must be an integer");
  if (*number < low || *number > high) {
    fail("must be from " + std::to_string(low) + " to " + std::to_string(high) + ", not " +
         std::to_string(*number));
  }
  return *number;
}

double JsonView::as_number() const {
  if (const auto number = json_->if_number()) return *number;
  fail("must be a number");
}

std::vector<std::string> JsonView::as_strings() const {
  std::vector<std::string> strings;
  for (const JsonView& item : items()) strings.push_back(item.as_string());
  return strings;
}

std::string JsonView::as_one_of(std::span<const std::string_view> words) const {
  std::string text = as_string();
  for (const std::string_view word : words) {
    if (text == word) return text;
  }
  fail("\"" + text + "\" is none of: " + join_words(words));
}

std::string JsonView::string_or(std::string_view key, std::string_view otherwise) const {
  const auto member = find(key);
  return member ? member->as_string() : std::string(otherwise);
}

bool JsonView::bool_or(std::string_view key, bool otherwise) const {
  const auto member = find(key);
  return member ? member->as_bool() : otherwise;
}

int64_t JsonView::int_or(std::string_view key, int64_t otherwise, int64_t low, int64_t high) const {
  const auto member = find(key);
  return member ? member->as_int(low, high) : otherwise;
}

void JsonView::allow_only(std::initializer_list<std::string_view> keys) const {
  for (const auto& [name, view] : members()) {
    bool known = false;
    for (const std::string_view key : keys) known = known || name == key;
    if (!known) view.fail("unknown key; the keys here are: " + join_words(std::span(keys.begin(), keys.size())));
  }
}

std::string escape_name(std::string_view bytes) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  while (!bytes.empty()) {
    size_t length = bytes[0] == '\\' ? 0 : printable_sequence(bytes);
    if (length > 0) {
      text += bytes.substr(0, length);
    } else if (bytes[0] == '\\') {
      length = 1;
      text += "\\\\";
    } else {
      length = 1;
      const auto byte = static_cast<unsigned char>(bytes[0]);
      text += "\\x";
      text += kDigits[byte >> 4];
      text += kDigits[byte & 15];
    }
    bytes.remove_prefix(length);
  }
  return text;
}

std::optional<std::string> unescape_name(std::string_view text) {
  const auto value = [](char c) -> int {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return -1;
  };
  std::string bytes;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      bytes += text[i];
    } else if (text.substr(i, 2) == "\\\\") {
      bytes += '\\';
      i += 1;
    } else if (i + 3 < text.size() && text[i + 1] == 'x' && value(text[i + 2]) >= 0 &&
               value(text[i + 3]) >= 0) {
      bytes += static_cast<char>(16 * value(text[i + 2]) + value(text[i + 3]));
      i += 3;
    } else {
      return std::nullopt;
    }
  }
  if (escape_name(bytes) != text) return std::nullopt;  // each name has one spelling
  return bytes;
}

}  // namespace fairwire
