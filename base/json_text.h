// What the files of base/json.h share: UTF-8 and the spelling of JSON pointers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace fairwire {

struct Utf8Sequence {
  size_t length = 0;  // 0: what stands there is not UTF-8
  uint32_t code = 0;
};

/// The sequence at the start of `bytes`, which is not empty.
Utf8Sequence first_sequence(std::string_view bytes);

/// "/" and the key with "~" as "~0" and "/" as "~1" (RFC 6901).
std::string pointer_token(std::string_view key);

}  // namespace fairwire
