#include "drivers/wires/luck.h"

#include <cmath>

#include "base/rng.h"

namespace fairwire {
namespace {

constexpr int kDrawBits = 53;

// The n-th draw of a path, by number: no state, so what was dropped before changes nothing.
uint64_t draw(uint64_t seed, uint64_t number) {
  uint64_t state = seed ^ (number * 0xd1342543de82ef95);  // odd: no two numbers share a state
  return splitmix64(state);
}

}  // namespace

double drawn_share(const PathModel& model, Luck luck, uint64_t number) {
  uint64_t seed = model.seed + static_cast<uint64_t>(luck);
  if (luck != Luck::loss) seed = splitmix64(seed);
  return std::ldexp(static_cast<double>(draw(seed, number) >> (64 - kDrawBits)), -kDrawBits);
}

Nanoseconds drawn_jitter(const PathModel& model, uint64_t number) {
  if (model.jitter <= Nanoseconds::zero()) return Nanoseconds::zero();
  const double share = drawn_share(model, Luck::jitter, number);
  return Nanoseconds(static_cast<int64_t>(share * static_cast<double>(model.jitter.count())));
}

double mean_loss(double loss, const BurstLoss& burst) {
  if (burst.enter <= 0) return loss;
  return (burst.leave * loss + burst.enter * burst.loss) / (burst.enter + burst.leave);
}

}  // namespace fairwire
