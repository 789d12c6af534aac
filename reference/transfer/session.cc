#include "reference/transfer/session.h"

#include <condition_variable>

#include "reference/wire/messages.h"

namespace fairsync {
namespace {

constexpr std::chrono::milliseconds kSampleEvery(100);
constexpr int kSamplesPerPing = 20;

bool is_peer_error(const std::exception_ptr& error) noexcept {
  try {
    std::rethrow_exception(error);
  } catch (const PeerError&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

Session::Session(Connections connections, std::chrono::milliseconds timeout)
    : connections_(std::move(connections)), timeout_(timeout) {
  heart_ = std::jthread([this](std::stop_token stop) { beat(std::move(stop)); });
}

Session::~Session() {
  control().shut();  // a heartbeat that waits for a full connection wakes up
  for (const auto& channel : connections_.data) channel->shut();
}

std::optional<Frame> Session::receive_control() {
  while (std::optional<Frame> frame = control().receive(kControlLimit, timeout_)) {
    if (frame->type == FrameType::error) {
      throw PeerError("the other end: " + read_error(frame->payload).text);
    }
    if (frame->type != FrameType::ping) return frame;
    read_empty(frame->payload);
  }
  return std::nullopt;
}

std::jthread Session::start(std::function<void()> body) {
  return std::jthread([this, body = std::move(body)] {
    try {
      body();
    } catch (...) {
      fail(std::current_exception());
    }
  });
}

void Session::fail(std::exception_ptr error) noexcept {
  bool is_first = false;
  {
    const std::lock_guard lock(mutex_);
    is_first = !error_;
    // Threads that write may see a broken connection before the one that reads sees the reason.
    if (is_first || is_peer_error(error)) error_ = error;
  }
  stop_.request_stop();
  if (is_first) tell_peer(error);
  control().shut();
  for (const auto& channel : connections_.data) channel->shut();
}

void Session::tell_peer(const std::exception_ptr& error) noexcept {
  FrameBuilder out;
  try {
    std::rethrow_exception(error);
  } catch (const PeerError&) {
    return;
  } catch (const ProtocolError& failure) {
    put_error(out, ErrorCode::protocol, failure.what());
  } catch (const std::exception& failure) {
    put_error(out, ErrorCode::failed, failure.what());
  } catch (...) {
    put_error(out, ErrorCode::failed, "an unknown failure");
  }
  control().try_send(out);
}

void Session::rethrow_failure() const {
  const std::lock_guard lock(mutex_);
  if (error_) std::rethrow_exception(error_);
}

void Session::finish() {
  finished_.store(true);
  for (const auto& channel : connections_.data) channel->shut();
}

void Session::watch(std::function<void()> sample) {
  const std::lock_guard lock(mutex_);
  sample_ = std::move(sample);
}

uint64_t Session::bytes_received() const {
  uint64_t bytes = connections_.control->bytes_received();
  for (const auto& channel : connections_.data) bytes += channel->bytes_received();
  return bytes;
}

uint64_t Session::bytes_sent() const {
  uint64_t bytes = connections_.control->bytes_sent();
  for (const auto& channel : connections_.data) bytes += channel->bytes_sent();
  return bytes;
}

void Session::beat(std::stop_token stop) {
  std::mutex mutex;
  std::condition_variable_any tick;
  FrameBuilder ping;
  put_empty(ping, FrameType::ping);
  for (int count = 1; !stop.stop_requested(); ++count) {
    std::unique_lock lock(mutex);
    tick.wait_for(lock, stop, kSampleEvery, [] { return false; });
    {
      const std::lock_guard sample_lock(mutex_);
      if (sample_) sample_();
    }
    // Without the lock: a ping may wait for a peer that does not read, and fail() must not.
    if (count % kSamplesPerPing != 0 || stop_.stop_requested() || finished_.load()) continue;
    try {
      control().send(ping);
    } catch (const std::exception&) {
      return;  // who reads the control connection learns of it, and says so
    }
  }
}

}  // namespace fairsync
