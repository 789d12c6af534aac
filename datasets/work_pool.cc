#include "datasets/work_pool.h"

#include <algorithm>
#include <utility>

namespace fairwire {

WorkPool::WorkPool(unsigned threads, size_t queue_limit, size_t scratch_bytes)
    : queue_limit_(queue_limit) {
  if (threads == 0) threads = std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 0; i < threads; ++i) {
    threads_.emplace_back([this, scratch_bytes] { work(scratch_bytes); });
  }
}

WorkPool::~WorkPool() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    queue_.clear();
  }
  job_ready_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void WorkPool::submit(Job job) {
  {
    std::unique_lock lock(mutex_);
    progress_.wait(lock, [this] { return queue_.size() < queue_limit_ || error_; });
    rethrow();
    queue_.push_back(std::move(job));
  }
  job_ready_.notify_one();
}

void WorkPool::wait() {
  std::unique_lock lock(mutex_);
  progress_.wait(lock, [this] { return (queue_.empty() && running_ == 0) || error_; });
  rethrow();
}

void WorkPool::rethrow() {
  if (error_) std::rethrow_exception(error_);
}

void WorkPool::work(size_t scratch_bytes) {
  std::vector<std::byte> scratch(scratch_bytes);
  std::unique_lock lock(mutex_);
  while (true) {
    job_ready_.wait(lock, [this] { return ending_ || !queue_.empty(); });
    if (ending_) return;
    Job job = std::move(queue_.front());
    queue_.pop_front();
    ++running_;
    lock.unlock();
    std::exception_ptr error;
    try {
      job(scratch);
    } catch (...) {
      error = std::current_exception();
    }
    job = nullptr;  // what it holds goes before it counts as done
    lock.lock();
    --running_;
    if (error && !error_) error_ = error;
    progress_.notify_all();
  }
}

}  // namespace fairwire
