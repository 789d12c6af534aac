// A document as Markdown tables (the dialect of code forges), for pull requests and notes. Text is
// escaped so that no name can become markup or leave its cell.
#pragma once

#include <string>
#include <string_view>

#include "reports/document.h"

namespace fairwire {

std::string render_markdown(const Document& document);

std::string escape_markdown(std::string_view text);

}  // namespace fairwire
