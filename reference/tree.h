// The walk of a sender's tree and the removal of a receiver's, both by descriptors and names, never
// through a symlink and never by recursion: a tree may be deeper than PATH_MAX or our stack.
#pragma once

#include <sys/stat.h>

#include <functional>

#include "reference/directories.h"
#include "reference/wire/messages.h"

namespace fairsync {

/// Mode and time as the protocol has them.
Attributes attributes_of(const struct stat& status);

/// Called with the id of the first entry of the list. Entries are numbered from 1.
using ListSink = std::function<void(const List& list, EntryId first_id)>;

/// Lists everything beneath the root of `directories`, to which it adds what it finds. A directory
/// that cannot be read is listed as incomplete, and said. Stops when the sink throws.
ListEnd list_tree(Directories& directories, const ListSink& sink);

/// Removes a file, symlink or directory with all beneath it; what is gone already is fine.
/// Throws SystemError on the first thing that cannot be removed.
void remove_beneath(int parent, const std::string& name);

/// The names in an open directory, without . and ... Throws SystemError.
std::vector<std::string> names_in(int directory);

}  // namespace fairsync
