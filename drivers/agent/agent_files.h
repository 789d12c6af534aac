// The agent's calls about files and waiting (docs/agent.md, "Files" and "Waiting"). Each takes the
// call's parameters and gives the answer's `ok`; all throw the floor's errors.
#pragma once

#include <set>
#include <string>

#include "base/json.h"

namespace fairwire {

// Short: run in the agent's loop.
Json put_chunk(const JsonView& call);
Json get_chunk(const JsonView& call);
Json make_directory_call(const JsonView& call);
/// `given` remembers the ports this agent has handed out.
int find_free_port(std::set<int>& given);

// Possibly long: run in a helper.
Json wait_for_tcp_call(const JsonView& call);
Json wait_for_file_call(const JsonView& call);
Json sync_call(const JsonView& call);
/// Why the page cache could not be dropped, or an empty text.
Json drop_caches_call();
Json resolve_program_call(const JsonView& call, const std::string& path_variable);

}  // namespace fairwire
