// One transfer between two ends: its connections, its threads and its first error.
// Invariant: the first error of any thread ends all of them; threads wait only with token().
#pragma once

#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include "reference/wire/channel.h"

namespace fairsync {

/// Files changed at the source, or did not arrive as they were sent: exit code 3.
class ChangedError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What the other end says of its own failure.
class PeerError : public ProtocolError {
 public:
  using ProtocolError::ProtocolError;
};

struct Connections {
  std::unique_ptr<Channel> control;
  std::vector<std::unique_ptr<Channel>> data;
};

class Session {
 public:
  Session(Connections connections, std::chrono::milliseconds timeout);
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  Channel& control() { return *connections_.control; }
  size_t data_count() const { return connections_.data.size(); }
  Channel& data(size_t index) { return *connections_.data[index]; }
  std::stop_token token() const { return stop_.get_token(); }

  /// The next message of the control connection; PING is swallowed, ERROR is thrown, and silence
  /// beyond the timeout too. nullopt at the end.
  std::optional<Frame> receive_control();

  /// A thread of the session; what it throws ends the session.
  std::jthread start(std::function<void()> body);
  void fail(std::exception_ptr error) noexcept;
  void rethrow_failure() const;          ///< when there was one
  void stop() { stop_.request_stop(); }  ///< Waiting threads return; connections stay.
  /// Ends the session without an error: reads of the data connections return.
  void finish();
  bool is_finished() const { return finished_.load(); }

  /// Called ten times a second by the sampler, and once at its end.
  void watch(std::function<void()> sample);

  uint64_t bytes_received() const;
  uint64_t bytes_sent() const;

 private:
  void beat(std::stop_token stop);
  void tell_peer(const std::exception_ptr& error) noexcept;

  Connections connections_;
  std::chrono::milliseconds timeout_;
  std::stop_source stop_;
  std::atomic<bool> finished_ = false;
  mutable std::mutex mutex_;
  std::exception_ptr error_;
  std::function<void()> sample_;
  std::jthread heart_;
};

}  // namespace fairsync
