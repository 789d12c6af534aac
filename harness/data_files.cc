#include "harness/data_files.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/error.h"

namespace fairwire {

std::string data_folder() {
  const char* folder = std::getenv("FAIRWIRE_DATA");
  return folder != nullptr && *folder != '\0' ? folder : FAIRWIRE_DATA_DIR;
}

std::string find_data_file(const std::string& room, const std::string& name,
                           const std::string& file, const std::string& pointer) {
  const bool is_path = name.find('/') != std::string::npos || name.ends_with(".json");
  const std::string path = is_path ? name : data_folder() + "/" + room + "/" + name + ".json";
  if (::access(path.c_str(), R_OK) == 0) return path;
  std::string reason =
      is_path ? "cannot read " + path : "\"" + name + "\" is not in " + room + "; there are:";
  if (!is_path) {
    for (const std::string& known : list_data_files(room)) reason += " " + known;
  }
  throw FormatError(file.empty() ? path : file, pointer, reason);
}

std::vector<std::string> list_data_files(const std::string& room) {
  std::vector<std::string> names;
  DIR* folder = ::opendir((data_folder() + "/" + room).c_str());
  if (folder == nullptr) return names;
  while (const dirent* entry = ::readdir(folder)) {
    const std::string name = entry->d_name;
    if (name.ends_with(".json")) names.push_back(name.substr(0, name.size() - 5));
  }
  ::closedir(folder);
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace fairwire
