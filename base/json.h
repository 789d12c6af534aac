// JSON as values: strict RFC 8259 in (no NaN, no duplicate keys, UTF-8 only, bounded depth and
// size), one canonical text out. Objects keep the order in which keys were set. JsonView adds the
// file and the JSON pointer, so that every refusal names its place. The parser is nlohmann/json,
// walled into json.cc.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace fairwire {

class Json {
 public:
  using Array = std::vector<Json>;
  using Member = std::pair<std::string, Json>;
  using Object = std::vector<Member>;

  Json() : value_(nullptr) {}
  Json(std::nullptr_t) : value_(nullptr) {}
  Json(bool value) : value_(value) {}
  Json(int value) : value_(int64_t{value}) {}
  Json(int64_t value) : value_(value) {}
  Json(uint64_t value);  ///< Throws std::range_error above 2^63 - 1: store such a value as text.
  Json(double value);    ///< Throws std::range_error for NaN and infinities.
  Json(const char* value) : value_(std::string(value)) {}
  Json(std::string_view value) : value_(std::string(value)) {}
  Json(std::string value) : value_(std::move(value)) {}
  Json(Array value) : value_(std::move(value)) {}
  Json(Object value) : value_(std::move(value)) {}

  static Json object(std::initializer_list<Member> members = {}) { return Object(members); }
  static Json array(Array items = {}) { return items; }

  bool is_null() const { return std::holds_alternative<std::nullptr_t>(value_); }
  const bool* if_bool() const { return std::get_if<bool>(&value_); }
  const int64_t* if_int() const { return std::get_if<int64_t>(&value_); }
  std::optional<double> if_number() const;  ///< an integer or a real
  const std::string* if_string() const { return std::get_if<std::string>(&value_); }
  const Array* if_array() const { return std::get_if<Array>(&value_); }
  const Object* if_object() const { return std::get_if<Object>(&value_); }

  /// Sets or replaces a member; a null becomes an object first. Returns *this.
  Json& set(std::string_view key, Json value);
  /// Appends to an array; a null becomes an array first. Returns *this.
  Json& push(Json value);
  /// The member, or nullptr when absent or when this is no object.
  const Json* find(std::string_view key) const;

  bool operator==(const Json&) const = default;

  /// Strict parse of one value. Throws FormatError{file, "line N, column M", reason} for bad
  /// syntax, and with a JSON pointer for a repeated key, a number that has no place, too many
  /// levels.
  static Json parse(std::string_view text, const std::string& file);
  /// Reads and parses a file of at most `limit` bytes.
  static Json parse_file(const std::string& path, size_t limit = size_t{16} << 20);

  /// One line, no spaces. Bytes of strings that are not UTF-8 become U+FFFD; escape names before.
  std::string dump() const;
  std::string dump_pretty() const;  ///< two-space indent and a closing newline

 private:
  std::variant<std::nullptr_t, bool, int64_t, double, std::string, Array, Object> value_;
};

/// A value with the place it came from. Accessors throw FormatError{file, pointer, reason}.
class JsonView {
 public:
  JsonView(const Json& json, std::string file, std::string pointer = "")
      : json_(&json), file_(std::move(file)), pointer_(std::move(pointer)) {}

  const Json& json() const { return *json_; }
  const std::string& file() const { return file_; }
  const std::string& pointer() const { return pointer_; }

  [[noreturn]] void fail(std::string_view reason) const;

  JsonView at(std::string_view key) const;                        ///< a required member
  std::optional<JsonView> find(std::string_view key) const;       ///< an optional member
  std::vector<JsonView> items() const;                            ///< of an array
  std::vector<std::pair<std::string, JsonView>> members() const;  ///< of an object

  std::string as_string() const;
  std::string as_nonempty_string() const;
  bool as_bool() const;
  int64_t as_int(int64_t low = std::numeric_limits<int64_t>::min(),
                 int64_t high = std::numeric_limits<int64_t>::max()) const;
  double as_number() const;
  std::vector<std::string> as_strings() const;
  /// One of the listed words; the message names them all.
  std::string as_one_of(std::span<const std::string_view> words) const;
  std::string as_one_of(std::initializer_list<std::string_view> words) const {
    return as_one_of(std::span(words.begin(), words.size()));
  }

  std::string string_or(std::string_view key, std::string_view otherwise) const;
  bool bool_or(std::string_view key, bool otherwise) const;
  int64_t int_or(std::string_view key, int64_t otherwise, int64_t low, int64_t high) const;

  /// Closed schema: refuses a non-object, and any key that is not in the list.
  void allow_only(std::initializer_list<std::string_view> keys) const;

 private:
  const Json* json_;
  std::string file_;
  std::string pointer_;
};

/// Names are bytes; JSON and terminals are not. Reversible: valid printable UTF-8 stays, a
/// backslash becomes "\\", every other byte (controls, DEL, C1 controls, text direction controls,
/// invalid UTF-8) "\xNN".
std::string escape_name(std::string_view bytes);
/// The inverse; nullopt when `text` is not something escape_name writes.
std::optional<std::string> unescape_name(std::string_view text);

}  // namespace fairwire
