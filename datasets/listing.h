// The names of one folder in the order in which a tree is walked. Held compactly (a folder may have
// a million of them): one text, and 16 bytes an item.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace fairwire {

class Listing {
 public:
  struct Item {
    std::string_view name;  ///< without "/"; ends with a NUL byte behind it
    bool folder = false;    ///< it was a folder when it was listed
    bool descend = false;   ///< not the folder's own line but what lies beneath it
  };

  /// Reads the open folder `fd` from its start. Returns 0 or the errno that ended it.
  int read(int fd);

  bool at_end() const { return next_ == items_.size(); }
  Item front() const;
  void pop() { ++next_; }

 private:
  struct Record {
    size_t offset;
    uint32_t length;
    bool folder;
    bool descend;
  };

  void add(int fd, const char* name, unsigned char type);
  void sort();

  std::string names_;  // each with a NUL behind it
  std::vector<Record> items_;
  size_t next_ = 0;
};

}  // namespace fairwire
