#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "drivers/subprocess.h"

namespace fairwire {

std::string find_program(const std::string& name, const std::string& path) {
  if (name.find('/') != std::string::npos) return name;
  int error_number = ENOENT;
  for (size_t begin = 0; !name.empty() && begin <= path.size();) {
    const size_t end = std::min(path.find(':', begin), path.size());
    const std::string file = path.substr(begin, end - begin) + '/' + name;
    struct stat status {};
    // An empty entry means the current folder to a shell; here it means nothing.
    if (end > begin && ::stat(file.c_str(), &status) == 0 && S_ISREG(status.st_mode)) {
      if (::access(file.c_str(), X_OK) == 0) return file;
      error_number = EACCES;
    }
    begin = end + 1;
  }
  throw SystemError("start", name, error_number);
}

}  // namespace fairwire
