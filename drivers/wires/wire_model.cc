#include "drivers/wires/wire_model.h"

#include <algorithm>
#include <stdexcept>

#include "base/rng.h"

namespace fairwire {
namespace {

constexpr int64_t kMostBits = int64_t{1} << 42;

size_t index_of(const std::vector<WireEnd>& ends, const std::string& name) {
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].name == name) return i;
  }
  throw std::invalid_argument("the wire has no machine " + name);
}

int64_t bytes_in(int64_t bits_per_second, Nanoseconds time) {
  return static_cast<int64_t>(static_cast<double>(bits_per_second) / 8e9 *
                              static_cast<double>(time.count()));
}

LinkRate resolve(LinkLimit limit, Nanoseconds round_trip) {
  if (limit.trace.trace != nullptr && limit.trace.trace->rate != nullptr) {
    limit.bits_per_second = limit.trace.trace->rate->mean_bits_per_second();
  }
  if (limit.bits_per_second < 0 || limit.bits_per_second > kMostBits || limit.queue_bytes < 0 ||
      limit.queue_time < Nanoseconds::zero()) {
    throw std::invalid_argument("a rate or queue of the wire is out of range");
  }
  if (limit.bits_per_second == 0) return {};
  if (limit.queue_bytes > 0 && limit.queue_bytes < kFullSegment) {
    throw std::invalid_argument("a queue of " + std::to_string(limit.queue_bytes) +
                                " bytes holds no full segment of 1538");
  }
  if (limit.queue_bytes > 0) return {limit.bits_per_second, limit.queue_bytes};
  if (limit.queue_time > Nanoseconds::zero()) {
    const int64_t bytes = bytes_in(limit.bits_per_second, limit.queue_time);
    if (bytes < kFullSegment) {
      throw std::invalid_argument("a queue of " + std::to_string(bytes) +
                                  " bytes (its time at the rate) holds no full segment of 1538");
    }
    return {limit.bits_per_second, bytes};
  }
  return {limit.bits_per_second,
          std::max(kLeastQueue,
                   bytes_in(limit.bits_per_second, std::max(round_trip, kLeastQueueTime)))};
}

Json rate_json(const LinkRate& rate, const TraceModel& trace) {
  Json json =
      Json::object({{"bits_per_second", rate.bits_per_second}, {"queue_bytes", rate.queue_bytes}});
  if (trace.trace != nullptr) {
    json.set("trace", escape_name(trace.file)).set("repeat_ns", trace.repeat.count());
  }
  return json;
}

bool plain(const PathModel& path) {
  return path.delay == Nanoseconds::zero() && path.jitter == Nanoseconds::zero() &&
         path.loss == 0 && path.burst.enter == 0 && path.trace.trace == nullptr &&
         path.rate.bits_per_second == 0;
}

class Builder {
 public:
  Builder(const std::vector<WireEnd>& ends, const TunWireOptions& options)
      : ends_(ends), options_(options), count_(ends.size()) {
    model_.machines.resize(count_);
    model_.paths.resize(count_ * count_);
  }

  WireModel build() {
    for (size_t from = 0; from < count_; ++from) {
      for (size_t to = 0; to < count_; ++to) {
        path(from, to).seed = derive_seed(options_.seed, ends_[from].name + ">" + ends_[to].name);
      }
    }
    for (const WirePath& given : options_.paths) set_delays(given);
    for (const WirePath& given : options_.paths) {
      const size_t from = index_of(ends_, given.from);
      const size_t to = index_of(ends_, given.to);
      path(from, to).rate = resolve(given.limit, round_trip(from, to));
      path(from, to).trace = given.limit.trace;
    }
    for (const AccessLinks& given : options_.access) {
      const size_t machine = index_of(ends_, given.machine);
      const Nanoseconds longest = longest_round_trip(machine);
      model_.machines[machine] = {resolve(given.up, longest), resolve(given.down, longest),
                                  given.up.trace, given.down.trace};
    }
    return model_;
  }

 private:
  PathModel& path(size_t from, size_t to) { return model_.paths[from * count_ + to]; }

  void set_delays(const WirePath& given) {
    const BurstLoss& burst = given.burst;
    const auto is_share = [](double value) { return value >= 0 && value <= 1; };
    if (given.delay < Nanoseconds::zero() || given.jitter < Nanoseconds::zero() ||
        !is_share(given.loss) || !is_share(burst.enter) || !is_share(burst.leave) ||
        !is_share(burst.loss) || (burst.enter > 0 && burst.leave == 0)) {
      throw std::invalid_argument("a delay, jitter or loss of the wire is out of range");
    }
    PathModel& to_set = path(index_of(ends_, given.from), index_of(ends_, given.to));
    to_set.delay = given.delay;
    if (const auto& trace = given.limit.trace.trace; trace != nullptr && !trace->rows.empty()) {
      for (const WireTrace::Row& row : trace->rows) {
        to_set.delay = std::max(to_set.delay, row.delay);  // for queues; the trace sets it then
      }
    }
    to_set.jitter = given.jitter;
    to_set.loss = given.loss;
    to_set.burst = given.burst;
  }

  Nanoseconds round_trip(size_t one, size_t other) {
    return path(one, other).delay + path(other, one).delay;
  }

  Nanoseconds longest_round_trip(size_t machine) {
    Nanoseconds longest{};
    for (size_t other = 0; other < count_; ++other) {
      longest = std::max(longest, round_trip(machine, other));
    }
    return longest;
  }

  const std::vector<WireEnd>& ends_;
  const TunWireOptions& options_;
  size_t count_;
  WireModel model_;
};

}  // namespace

WireModel wire_model(const std::vector<WireEnd>& ends, const TunWireOptions& options) {
  if (ends.size() > kMostMachines) throw std::invalid_argument("a tun wire has 32 ends at most");
  return Builder(ends, options).build();
}

int64_t theory_of(const WireModel& model, size_t from, size_t to) {
  int64_t slowest = 0;
  for (const int64_t rate : {model.machines[from].up.bits_per_second,
                             model.paths[from * model.machines.size() + to].rate.bits_per_second,
                             model.machines[to].down.bits_per_second}) {
    if (rate > 0 && (slowest == 0 || rate < slowest)) slowest = rate;
  }
  return slowest * kFullPayload / kFullSegment / 8;
}

Json model_json(const WireModel& model, const std::vector<WireEnd>& ends) {
  Json access = Json::array();
  Json paths = Json::array();
  for (size_t i = 0; i < ends.size(); ++i) {
    access.push(
        Json::object({{"machine", ends[i].name},
                      {"up", rate_json(model.machines[i].up, model.machines[i].up_trace)},
                      {"down", rate_json(model.machines[i].down, model.machines[i].down_trace)}}));
    for (size_t j = 0; j < ends.size(); ++j) {
      const PathModel& path = model.paths[i * ends.size() + j];
      if (i == j || plain(path)) continue;
      Json json = rate_json(path.rate, path.trace);
      json.set("from", ends[i].name).set("to", ends[j].name);
      json.set("delay_ns", path.delay.count()).set("jitter_ns", path.jitter.count());
      json.set("loss", path.loss);
      if (path.burst.enter > 0) {
        json.set("burst_loss", Json::object({{"enter", path.burst.enter},
                                             {"leave", path.burst.leave},
                                             {"loss", path.burst.loss}}));
      }
      paths.push(std::move(json));
    }
  }
  return Json::object({{"access", access}, {"paths", paths}});
}

}  // namespace fairwire
