#include "base/error.h"
#include "base/json.h"
#include "base/json_text.h"

namespace fairwire {
namespace {

std::string join_words(std::span<const std::string_view> words) {
  std::string joined;
  for (const std::string_view word : words) {
    if (!joined.empty()) joined += ", ";
    joined += word;
  }
  return joined;
}

}  // namespace

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
    if (!known)
      view.fail("unknown key; the keys here are: " +
                join_words(std::span(keys.begin(), keys.size())));
  }
}

}  // namespace fairwire
