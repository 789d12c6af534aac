// TLS 1.3 over a TCP socket with the pre-shared key of docs/protocol.md; OpenSSL is walled into
// tls.cc. Invariant: after handshake() both ends have proven the same key. One thread may read
// while others write; each write is whole. shut() from any thread ends both.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>

#include "reference/floor.h"
#include "reference/keys.h"

namespace fairsync {

using Timeout = std::optional<std::chrono::milliseconds>;  ///< nullopt: for ever

enum class Side { client, server };

/// The two ends do not have the same key, or one of them is something else.
class KeyError : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

class TlsContext {
 public:
  TlsContext(Side side, const PresharedKey& key);
  ~TlsContext();
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

 private:
  friend class TlsStream;
  struct State;
  std::unique_ptr<State> state_;
};

class TlsStream {
 public:
  /// Takes a connected socket and makes it non-blocking, without Nagle's delay. `context` must
  /// outlive it.
  TlsStream(const TlsContext& context, FileDescriptor socket);
  ~TlsStream();
  TlsStream(const TlsStream&) = delete;
  TlsStream& operator=(const TlsStream&) = delete;

  /// Throws KeyError, ProtocolError when the other end goes away or takes longer.
  void handshake(std::chrono::milliseconds within);

  /// 0 is the end of the stream. Throws ProtocolError, also when nothing comes within `timeout`.
  size_t read_some(std::span<std::byte> buffer, Timeout timeout);
  void write(std::span<const std::byte> bytes);
  /// A last word, at most 1 KiB or so, before shut(): sent if that can be done without waiting
  /// long.
  void try_write(std::span<const std::byte> bytes) noexcept;

  void shut() noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace fairsync
