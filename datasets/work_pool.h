// A few threads with a bounded queue. Invariants: submit() blocks while the queue is full, so a
// producer never runs ahead of memory; the first exception of a job comes out of the next submit()
// or wait(); the destructor drops what has not begun and joins.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace fairwire {

class WorkPool {
 public:
  /// A job gets its thread's buffer of `scratch_bytes`, so that none is allocated per job.
  using Job = std::function<void(std::span<std::byte> scratch)>;

  /// `threads` 0 means one a core.
  WorkPool(unsigned threads, size_t queue_limit, size_t scratch_bytes);
  ~WorkPool();
  WorkPool(const WorkPool&) = delete;
  WorkPool& operator=(const WorkPool&) = delete;

  void submit(Job job);
  /// Until every job is done.
  void wait();

 private:
  void work(size_t scratch_bytes);
  void rethrow();

  const size_t queue_limit_;
  std::mutex mutex_;
  std::condition_variable job_ready_;
  std::condition_variable progress_;
  std::deque<Job> queue_;
  size_t running_ = 0;
  bool ending_ = false;
  std::exception_ptr error_;
  std::vector<std::thread> threads_;
};

}  // namespace fairwire
