// A store in a folder of this machine: one file an object.
// Invariant: a file has its name only when all its bytes are on the disk; what a killed writer left
// is under .tmp and is taken away by the next one.
#pragma once

#include <string>

#include "reference/floor.h"
#include "reference/store/store.h"

namespace fairsync {

class FolderStore final : public Store {
 public:
  enum class Durable { yes, no };

  /// Makes the folder (not its parents). Throws SystemError.
  static void create(const std::string& path);
  /// Of a folder that is there. Throws SystemError.
  explicit FolderStore(const std::string& path, Durable durable = Durable::yes);

  bool put_new(const std::string& name, std::span<const std::byte> bytes) override;
  std::optional<std::vector<std::byte>> get(const std::string& name, uint64_t offset,
                                            uint64_t length) override;
  std::optional<uint64_t> size(const std::string& name) override;
  std::vector<StoredObject> list(const std::string& prefix) override;
  bool remove(const std::string& name) override;

 private:
  std::string path_of(const std::string& name) const { return root_ + "/" + name; }
  FileDescriptor parent_of(const std::string& name, bool make);
  void list_folder(const std::string& folder, const std::string& prefix,
                   std::vector<StoredObject>& into);

  std::string root_;
  FileDescriptor folder_;
  Durable durable_;
};

}  // namespace fairsync
