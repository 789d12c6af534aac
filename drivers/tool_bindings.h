// The syntax of bindings in texts of tool files (docs/tool.md, "Bindings"): {name}, {{ and }}.
#pragma once

#include <string_view>

namespace fairwire {

/// Calls `on_text` for literal stretches, `on_binding` for each name, and `on_error` at a lone
/// brace.
template <typename OnText, typename OnBinding, typename OnError>
void scan_bindings(std::string_view text, const OnText& on_text, const OnBinding& on_binding,
                   const OnError& on_error) {
  while (!text.empty()) {
    const size_t brace = text.find_first_of("{}");
    on_text(text.substr(0, brace));
    if (brace == std::string_view::npos) return;
    text.remove_prefix(brace);
    if (text.substr(0, 2) == "{{" || text.substr(0, 2) == "}}") {
      on_text(text.substr(0, 1));
      text.remove_prefix(2);
      continue;
    }
    const size_t end = text[0] == '{' ? text.find('}') : std::string_view::npos;
    if (end == std::string_view::npos) {
      return on_error("a lone brace; write {{ or }} for a literal one");
    }
    on_binding(text.substr(1, end - 1));
    text.remove_prefix(end + 1);
  }
}

}  // namespace fairwire
