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
  std::vector<std::string> candidates;
  const std::string here = file.substr(0, file.rfind('/') + 1);
  const std::string kind = room.substr(room.rfind('/') + 1);
  if (is_path) {
    const bool in_run = ::access((here + "results.jsonl").c_str(), F_OK) == 0;
    if (in_run) candidates.push_back(here + kind + "/" + name.substr(name.rfind('/') + 1));
    candidates.push_back(name);
  } else {
    if (!file.empty()) candidates.push_back(here + kind + "/" + name + ".json");
    if (here.ends_with("/" + kind + "/")) candidates.push_back(here + name + ".json");
    candidates.push_back(data_folder() + "/" + room + "/" + name + ".json");
  }
  for (const std::string& path : candidates) {
    if (::access(path.c_str(), R_OK) == 0) return path;
  }
  std::string reason = "cannot be read";
  if (!is_path) {
    reason = "there is no \"" + name + "\" in " + room + "; there are:";
    for (const std::string& known : list_data_files(room)) reason += " " + known;
  }
  throw FormatError(file.empty() ? name : file, pointer, is_path ? name + " " + reason : reason);
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
