// Words to the user on standard error, one line each, with everything from outside escaped.
#pragma once

#include <string_view>

namespace fairsync {

void say(std::string_view line);

}  // namespace fairsync
