// A document as one self-contained page: plain tables that read without scripts, no network, and
// every text escaped (A29) wherever it stands: in text, in attributes, in the embedded summary.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "reports/document.h"

namespace fairwire {

std::string render_html(const Document& document, const Json& summary);

/// For text and for quoted attributes; control bytes become U+FFFD.
std::string escape_html(std::string_view text);
/// JSON that can stand in a script element: no "<", ">", "&" and no line separators.
std::string embeddable_json(const Json& json);

}  // namespace fairwire
