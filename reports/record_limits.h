// The bounds of docs/results.md, for the side that writes a record and the side that reads it.
// Invariant: whatever passes here on the way out is accepted on the way in.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "base/json.h"

namespace fairwire {

inline constexpr int64_t kMaximumCount = int64_t{1} << 53;  ///< exact in every JSON reader
inline constexpr int64_t kMaximumStamp = int64_t{1} << 62;  ///< CLOCK_MONOTONIC: 146 years
inline constexpr size_t kMaximumItems = 1'000'000;
inline constexpr size_t kMaximumLine = size_t{16} << 20;

/// "" or 64 lower-case hex digits.
bool is_digest(std::string_view text);
bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words);

/// `text` itself when it is UTF-8, else as escape_name writes it: a tool's words must never make
/// a line that cannot be read back.
std::string readable_text(const std::string& text);
/// `name` itself when it is something escape_name writes, else escaped.
std::string escaped_name(const std::string& name);
/// readable_text for every string and key of a value.
Json readable_json(const Json& json);

}  // namespace fairwire
