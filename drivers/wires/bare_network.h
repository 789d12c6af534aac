// A network namespace and nothing else, held by a thread: same root, same processes as this one.
// Invariant: the namespace lives as long as the object or anything started in it.
#pragma once

#include <sys/types.h>

#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>

namespace fairwire {

class BareNetwork {
 public:
  /// With its loopback up. Throws SystemError (needs root).
  BareNetwork();
  ~BareNetwork();
  BareNetwork(const BareNetwork&) = delete;
  BareNetwork& operator=(const BareNetwork&) = delete;

  /// A thread's number, which serves as a process of that namespace wherever one is asked for.
  pid_t namespace_pid() const { return thread_number_; }
  /// Runs `work` in it, on the thread that lives as long as this object, and waits. Children with
  /// a death signal started so end with this object. What it throws is thrown here.
  void run(const std::function<void()>& work);

 private:
  void serve();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  std::exception_ptr thrown_;
  bool busy_ = false;
  bool ending_ = false;
  pid_t thread_number_ = 0;
  std::thread thread_;
};

}  // namespace fairwire
