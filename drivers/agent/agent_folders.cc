#include "drivers/agent/agent_folders.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>

#include "base/error.h"
#include "base/log.h"
#include "base/temp_dir.h"
#include "drivers/sweep.h"

namespace fairwire {
namespace {

struct CloseDir {
  void operator()(DIR* dir) const { ::closedir(dir); }
};

bool exists(const std::string& path) {
  return ::access(path.c_str(), F_OK) == 0;
}

std::vector<std::string> entries(const std::string& path) {
  const std::unique_ptr<DIR, CloseDir> dir(::opendir(path.c_str()));
  if (!dir) throw_system_error("open directory", path);
  std::vector<std::string> paths;
  while (const dirent* entry = ::readdir(dir.get())) {
    const std::string name = entry->d_name;
    if (name != "." && name != "..") paths.push_back(path + '/' + name);
  }
  return paths;
}

void remove_quietly(const std::string& path) {
  try {
    remove_tree(path);
  } catch (const std::exception& error) {
    log_warning(error.what());
  }
}

}  // namespace

AgentFolders::AgentFolders(const AgentPlace& place)
    : place_(place), work_was_there_(exists(place.work)), store_was_there_(exists(place.store)) {
  if (work_was_there_ && !entries(place.work).empty()) {
    throw SystemError("take as the agent's work the folder", place.work, ENOTEMPTY);
  }
  try {
    make(place.work);
    make(place.store);
    empty_work();
  } catch (...) {
    clear();
    throw;
  }
}

AgentFolders::~AgentFolders() {
  clear();
}

void AgentFolders::empty_work() const {
  for (const std::string& path : entries(place_.work)) remove_tree(path);
  for (const char* name : {"/home", "/tmp", "/logs"}) make_directories(place_.work + name);
}

void AgentFolders::make(const std::string& path) {
  for (size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
    const std::string part = path.substr(0, end);
    if (::mkdir(part.c_str(), 0755) == 0) {
      made_.push_back(part);
    } else if (errno != EEXIST) {
      throw_system_error("make directory", part);
    }
    if (end == std::string::npos) return;
  }
}

void AgentFolders::clear() const {
  if (work_was_there_) {
    try {
      for (const std::string& path : entries(place_.work)) remove_quietly(path);
    } catch (const std::exception& error) {
      log_warning(error.what());
    }
  } else {
    remove_quietly(place_.work);
  }
  if (!store_was_there_) remove_quietly(place_.store);
  // Their parents go once they are empty: agents with one token share them.
  for (auto path = made_.rbegin(); path != made_.rend(); ++path) ::rmdir(path->c_str());
  const std::string owned = owner_folder(place_.token);
  for (const std::string& path : {place_.work, place_.store}) {
    if (!path.starts_with(owned + '/')) continue;
    for (std::string parent = path; parent.size() > owned.size();) {
      parent.resize(parent.rfind('/'));
      if (::rmdir(parent.c_str()) != 0) break;
    }
  }
}

}  // namespace fairwire
