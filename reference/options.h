// What the user asked for, as values.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <variant>

#include "reference/wire/address.h"
#include "reference/wire/messages.h"

namespace fairsync {

struct ServeOptions {
  std::string folder;
  std::string key_file;
  std::string address;  // empty: all
  uint16_t port = 0;    // 0: a free one, said at the start
  bool writable = false;
  std::chrono::milliseconds timeout{30'000};
};

struct TransferOptions {
  Direction direction = Direction::pull;
  Address peer;
  std::string peer_text;
  std::string folder;
  std::string key_file;
  std::string counters_file;  // empty: none
  uint8_t connections = 4;
  Durable durable = Durable::batch;
  bool progress = false;
  std::chrono::milliseconds timeout{30'000};
};

struct ShowText {
  std::string text;
};

using Command = std::variant<ServeOptions, TransferOptions, ShowText>;

}  // namespace fairsync
