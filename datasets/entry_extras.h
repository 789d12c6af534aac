// Owners, times and attributes of a recipe's entries (docs/dataset.md, "Entries"): read from the
// recipe, and set as far as this user and this file system can.
#pragma once

#include <string>

#include "base/json.h"
#include "datasets/spec.h"

namespace fairwire {

/// The keys "owner", "mtime" and "xattrs" of `entry`, where it has them.
EntryExtras entry_extras_of(const JsonView& entry);

/// Of FOLDER/name, or with an empty name of `folder` itself. Does nothing unless this is root.
void set_owner(int folder, const std::string& name, const EntryExtras& extras);
/// Leaves out what the file system does not know. `path` is for the message of another failure.
void set_attributes(int fd, const std::string& path, const EntryExtras& extras);

}  // namespace fairwire
