#include "reference/transfer/wanted.h"

namespace fairsync {

void Wanted::add(EntryId id, WantedFile file) {
  const std::lock_guard lock(mutex_);
  pending_.emplace(id, std::move(file));
}

std::optional<WantedFile> Wanted::find(EntryId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = pending_.find(id);
  if (found != pending_.end()) return found->second;
  if (failed_.contains(id)) return std::nullopt;
  throw ProtocolError("the sender sends what was not wanted");
}

void Wanted::resolve(EntryId id, Fate fate) {
  {
    const std::lock_guard lock(mutex_);
    if (pending_.erase(id) == 0) return;
    if (fate == Fate::landed) ++totals_.landed;
    if (fate == Fate::same) ++totals_.same;
    if (fate == Fate::failed || fate == Fate::changed) {
      ++totals_.failed;
      failed_.insert(id);
    }
    has_failed_ |= fate == Fate::failed;
    has_changed_ |= fate == Fate::changed;
    if (!pending_.empty()) return;
  }
  none_.notify_all();
}

void Wanted::count_failure() {
  const std::lock_guard lock(mutex_);
  ++totals_.failed;
  has_failed_ = true;
}

size_t Wanted::pending() const {
  const std::lock_guard lock(mutex_);
  return pending_.size();
}

bool Wanted::wait_until_none(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  return none_.wait(lock, stop, [this] { return pending_.empty(); });
}

Done Wanted::totals() const {
  const std::lock_guard lock(mutex_);
  Done totals = totals_;
  totals.exit_code = has_failed_ ? 1 : has_changed_ ? 3 : 0;
  return totals;
}

}  // namespace fairsync
