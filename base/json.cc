#include "base/json.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_set>

#include "base/error.h"
#include "base/file_descriptor.h"
#include "base/json_text.h"

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
  // The parser takes a NUL for the end and would accept whatever stands behind it.
  if (const size_t nul = text.find('\0'); nul != std::string_view::npos) {
    throw FormatError(file, line_and_column(text, nul), "a NUL byte");
  }
  Builder builder(text, file);
  nlohmann::json::sax_parse(text, &builder);
  return builder.take();
}

Json Json::parse_file(const std::string& path, size_t limit) {
  return parse(read_file(path, limit), path);
}

}  // namespace fairwire
