#include "drivers/wires/bare_network.h"

#include <sched.h>
#include <unistd.h>

#include "base/error.h"
#include "drivers/wires/network_namespace.h"

namespace fairwire {

BareNetwork::BareNetwork() : thread_([this] { serve(); }) {
  try {
    run([this] {
      check_system(::unshare(CLONE_NEWNET), "make a network namespace (needs root)");
      thread_number_ = ::gettid();
      run_ip_batch("link set dev lo up\n");
    });
  } catch (...) {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    changed_.notify_all();
    thread_.join();
    throw;
  }
}

BareNetwork::~BareNetwork() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void BareNetwork::run(const std::function<void()>& work) {
  std::unique_lock lock(mutex_);
  work_ = work;
  thrown_ = nullptr;
  busy_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return !busy_; });
  if (thrown_) std::rethrow_exception(thrown_);
}

void BareNetwork::serve() {
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return busy_ || ending_; });
    if (!busy_) return;
    try {
      work_();
    } catch (...) {
      thrown_ = std::current_exception();
    }
    busy_ = false;
    changed_.notify_all();
  }
}

}  // namespace fairwire
