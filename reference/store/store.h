// Where a vault keeps its objects: names to bytes, written once. A folder is one; a bucket will be.
// Contract (tests/reference/store_contract.h holds every kind to it): what put_new() has returned
// for is there whole and for good; a name is either wholly there or not at all; what a store gives
// back is believed by nobody before it was opened.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace fairsync {

struct StoredObject {
  std::string name;
  uint64_t size = 0;
};

class Store {
 public:
  virtual ~Store() = default;

  /// False, and nothing changes, when there is an object of that name. Names are parts of
  /// a-z 0-9 - . _ between single slashes, at most 200 bytes, no part begins with a dot.
  /// Throws std::invalid_argument for another name, SystemError when it cannot be stored.
  virtual bool put_new(const std::string& name, std::span<const std::byte> bytes) = 0;
  /// Exactly those bytes, or nullopt when there is no such object. Throws SystemError;
  /// ProtocolError when the object ends before.
  virtual std::optional<std::vector<std::byte>> get(const std::string& name, uint64_t offset,
                                                    uint64_t length) = 0;
  virtual std::optional<uint64_t> size(const std::string& name) = 0;
  /// Every object whose name begins so, in order of names.
  virtual std::vector<StoredObject> list(const std::string& prefix) = 0;
  /// True when there was one.
  virtual bool remove(const std::string& name) = 0;
};

/// Throws std::invalid_argument for what is no name of an object.
void check_object_name(const std::string& name);

}  // namespace fairsync
