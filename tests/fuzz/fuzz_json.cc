// Whatever parses is written as JSON that parses to the same value; every name survives its escape.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/json.h"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const std::string escaped = fairwire::escape_name(text);
  require(fairwire::unescape_name(escaped) == text);
  require(*fairwire::Json::parse(fairwire::Json(escaped).dump(), "f").if_string() == escaped);
  fairwire::Json::parse(fairwire::Json(text).dump(), "f");
  if (const auto bytes = fairwire::unescape_name(text))
    require(fairwire::escape_name(*bytes) == text);
  try {
    const fairwire::Json json = fairwire::Json::parse(text, "f");
    require(fairwire::Json::parse(json.dump(), "f") == json);
    require(fairwire::Json::parse(json.dump_pretty(), "f") == json);
  } catch (const fairwire::FormatError&) {
  }
  return 0;
}
