// reports/templates/, compiled in. page.html holds {{title}}, {{style}}, {{body}} and {{data}},
// each once.
#pragma once

#include <string_view>

namespace fairwire {

extern const std::string_view kPageHtml;
extern const std::string_view kPageCss;

}  // namespace fairwire
