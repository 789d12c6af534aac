// Where plans, tools, testbeds, recipes and pages are found: a path as given, or a bare name
// looked up among the files that ship with the program.
#pragma once

#include <string>
#include <vector>

namespace fairwire {

/// The folder that holds harness/plans, drivers/tools, …: $FAIRWIRE_DATA, or the source tree.
std::string data_folder();

/// `name` itself when it holds a '/' or ends in .json (for a file of a run folder: its copy there);
/// else NAME.json in the folder named like the room's last part (tools/, specs/, …) beside the
/// asking `file`, in that file's own folder when it is called so, then in the shipped room.
/// Throws FormatError{file, pointer} naming what exists when there is no such file.
std::string find_data_file(const std::string& room, const std::string& name,
                           const std::string& file, const std::string& pointer);

/// Names (without .json) of the files of a room, sorted.
std::vector<std::string> list_data_files(const std::string& room);

inline constexpr char kPlansRoom[] = "harness/plans";
inline constexpr char kToolsRoom[] = "drivers/tools";
inline constexpr char kTestbedsRoom[] = "drivers/testbeds";
inline constexpr char kSpecsRoom[] = "datasets/specs";
inline constexpr char kMutationsRoom[] = "datasets/mutations";
inline constexpr char kPagesRoom[] = "reports/pages";

}  // namespace fairwire
