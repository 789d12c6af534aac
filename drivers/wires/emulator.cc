#include "drivers/wires/emulator.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

#include "drivers/wires/luck.h"

namespace fairwire {
namespace {

int64_t wire_bytes(const PacketShape& shape, int segment) {
  return shape.segment_bytes(segment) + kFramingBytes;
}

Traffic traffic_of(const Chunk& chunk) {
  Traffic traffic{chunk.count, 0};
  for (int i = chunk.first; i < chunk.first + chunk.count; ++i) {
    traffic.bytes += wire_bytes(chunk.packet->shape, i);
  }
  return traffic;
}

void add(Traffic& to, const Traffic& more) {
  to.segments += more.segments;
  to.bytes += more.bytes;
}

std::shared_ptr<const ServiceCurve> curve_of(const TraceModel& model) {
  return model.trace == nullptr ? nullptr : model.trace->rate;
}

}  // namespace

Emulator::Emulator(const WireModel& model)
    : machines_(static_cast<int>(model.machines.size())),
      chunk_time_(std::max(kChunkTime, kChunkTimeEach * machines_)) {
  const size_t count = model.machines.size();
  if (count > kMostMachines) throw std::invalid_argument("a wire has at most 32 machines");
  if (model.paths.size() != count * count) throw std::invalid_argument("a wire needs N * N paths");
  for (const AccessModel& access : model.machines) {
    up_.emplace_back(access.up, curve_of(access.up_trace));
    up_rates_.push_back(access.up.bits_per_second);
    link_up_.push_back(true);
    Down down;
    down.clock = LinkClock(access.down, curve_of(access.down_trace));
    down.bits_per_second = access.down.bits_per_second;
    down_.push_back(std::move(down));
  }
  for (const PathModel& path_model : model.paths) {
    Path path;
    path.model = path_model;
    path.clock = LinkClock(path_model.rate, curve_of(path_model.trace));
    follow_trace(path, Nanoseconds::zero());
    paths_.push_back(std::move(path));
  }
}

// As many as the slowest link on the way sends within the time of a chunk.
int Emulator::most_segments(int from, int to, const PacketShape& shape) const {
  int64_t slowest = std::numeric_limits<int64_t>::max();
  for (const int64_t rate :
       {up_rates_[static_cast<size_t>(from)], path(from, to).model.rate.bits_per_second,
        down_[static_cast<size_t>(to)].bits_per_second}) {
    if (rate > 0) slowest = std::min(slowest, rate);
  }
  if (slowest == std::numeric_limits<int64_t>::max()) return shape.segments;
  const Nanoseconds each = serialisation_time(wire_bytes(shape, 0), slowest);
  return std::max<int>(1, static_cast<int>(chunk_time_ / std::max(each, Nanoseconds(1))));
}

void Emulator::follow_trace(Path& on, Nanoseconds time) const {
  const auto& trace = on.model.trace.trace;
  if (trace == nullptr || trace->rows.empty()) return;
  const WireTrace::Row& row = trace->row_at(std::max(time, Nanoseconds::zero()));
  on.model.delay = row.delay;
  on.model.loss = row.loss;
}

void Emulator::start_traces(Nanoseconds now) {
  traces_began_ = now;
  for (LinkClock& clock : up_) clock.start(now);
  for (Down& down : down_) down.clock.start(now);
  for (Path& path : paths_) path.clock.start(now);
}

bool Emulator::is_lost(Path& on, uint64_t number) {
  const BurstLoss& burst = on.model.burst;
  if (burst.enter > 0) {
    const double turn = on.in_burst ? burst.leave : burst.enter;
    if (drawn_share(on.model, Luck::burst, number) < turn) on.in_burst = !on.in_burst;
  }
  const double loss = on.in_burst ? burst.loss : on.model.loss;
  return loss > 0 && drawn_share(on.model, Luck::loss, number) < loss;
}

// One segment through the sender's link and the path: its arrival at the receiver's link.
std::optional<Nanoseconds> Emulator::cross(int from, Path& on, int64_t bytes, Nanoseconds now) {
  ++steps_;
  const auto at_path = up_[static_cast<size_t>(from)].admit(bytes, now);
  if (!at_path) {
    ++on.counts.dropped_up_queue;
    return std::nullopt;
  }
  if (traces_began_) follow_trace(on, *at_path - *traces_began_);
  const uint64_t number = on.segment_number++;
  if (on.blackhole) {
    ++on.counts.dropped_blackhole;
    return std::nullopt;
  }
  if (is_lost(on, number)) {
    ++on.counts.dropped_loss;
    return std::nullopt;
  }
  const auto sent = on.clock.admit(bytes, *at_path);
  if (!sent) {
    ++on.counts.dropped_path_queue;
    return std::nullopt;
  }
  const Nanoseconds arrival = *sent + on.model.delay + drawn_jitter(on.model, number);
  on.last_arrival = std::max(on.last_arrival, arrival);
  return on.last_arrival;
}

void Emulator::offer(int from, int to, const PacketRef& packet, Nanoseconds now) {
  Path& on = path(from, to);
  const PacketShape& shape = packet->shape;
  if (!link_up_[static_cast<size_t>(from)]) {
    for (int i = 0; i < shape.segments; ++i) add(on.counts.sent, {1, wire_bytes(shape, i)});
    on.counts.dropped_link_down += shape.segments;
    return;
  }
  const int most = most_segments(from, to, shape);
  const bool was_empty = on.flights.empty();
  bool open = false;  // the last flight takes the next segment, too
  for (int i = 0; i < shape.segments; ++i) {
    const int64_t bytes = wire_bytes(shape, i);
    add(on.counts.sent, {1, bytes});
    const auto arrival = cross(from, on, bytes, now);
    if (!arrival) {
      open = false;
      continue;
    }
    if (!open || on.flights.back().chunk.count == most) {
      on.flights.push_back({{packet, from, to, i, 0}, *arrival, *arrival});
      open = true;
    }
    ++on.flights.back().chunk.count;
    on.flights.back().last_arrival = *arrival;
  }
  if (was_empty && !on.flights.empty()) note_front(from, to);
}

// Flights meet at the receiver's link in order of their first segments, which it begins to send
// then; without a limit a flight is there when its last segment is.
Nanoseconds Emulator::sort_time(const Down& down, const Flight& flight) {
  return down.clock.limited() ? flight.first_arrival : flight.last_arrival;
}

// Of two that come at the same time the machine with the lower number is first.
void Emulator::note_front(int from, int to) {
  ++steps_;
  Down& down = down_[static_cast<size_t>(to)];
  const Nanoseconds time = sort_time(down, path(from, to).flights.front());
  const bool first = down.next_from < 0 || time < down.next_time ||
                     (time == down.next_time && from < down.next_from);
  if (!first) return;
  down.next_from = from;
  down.next_time = time;
}

void Emulator::find_next(int to) {
  down_[static_cast<size_t>(to)].next_from = -1;
  for (int from = 0; from < machines_; ++from) {
    if (!path(from, to).flights.empty()) note_front(from, to);
  }
}

void Emulator::land(const Flight& flight) {
  const Chunk& chunk = flight.chunk;
  Down& down = down_[static_cast<size_t>(chunk.to)];
  if (!down.clock.limited()) {
    down.line.push(chunk, flight.last_arrival);
    return;
  }
  Chunk run = chunk;
  run.count = 0;
  Nanoseconds run_due{};
  for (int i = 0; i < chunk.count; ++i) {
    ++steps_;
    const Nanoseconds arrival =
        flight.first_arrival +
        (flight.last_arrival - flight.first_arrival) * i / std::max(1, chunk.count - 1);
    const int segment = chunk.first + i;
    const auto sent = down.clock.admit(wire_bytes(chunk.packet->shape, segment), arrival);
    if (sent) {
      if (run.count == 0) run.first = segment;
      ++run.count;
      run_due = *sent;
      continue;
    }
    ++path(chunk.from, chunk.to).counts.dropped_down_queue;
    if (run.count > 0) down.line.push(run, run_due);
    run.count = 0;
  }
  if (run.count > 0) down.line.push(run, run_due);
}

void Emulator::land_until(int to, Nanoseconds now) {
  const Down& down = down_[static_cast<size_t>(to)];
  while (down.next_from >= 0 && down.next_time <= now) {
    auto& flights = path(down.next_from, to).flights;
    const Flight flight = std::move(flights.front());
    flights.pop_front();
    find_next(to);
    land(flight);
  }
}

std::optional<DueChunk> Emulator::take_due(Nanoseconds now) {
  for (int to = 0; to < machines_; ++to) {
    ++steps_;
    land_until(to, now);
    auto due = down_[static_cast<size_t>(to)].line.due(now);
    while (due && !link_up_[static_cast<size_t>(to)]) {
      path(due->second.from, to).counts.dropped_link_down += due->second.count;
      due = down_[static_cast<size_t>(to)].line.due(now);
    }
    if (!due) continue;
    DueChunk result{due->first, std::move(due->second)};
    add(path(result.chunk.from, result.chunk.to).counts.arrived, traffic_of(result.chunk));
    return result;
  }
  return std::nullopt;
}

std::optional<Nanoseconds> Emulator::wake_of(int to) const {
  const Down& down = down_[static_cast<size_t>(to)];
  if (const auto wake = down.line.next_wake()) return wake;
  if (down.next_from < 0) return std::nullopt;
  const Flight& flight = path(down.next_from, to).flights.front();
  if (!down.clock.limited()) return flight.last_arrival;
  // It will have been sent at the earliest when its last segment has; no need to wake before.
  const int last = flight.chunk.first + flight.chunk.count - 1;
  const int64_t bytes = wire_bytes(flight.chunk.packet->shape, last);
  return flight.last_arrival + serialisation_time(bytes, down.bits_per_second);
}

std::optional<Nanoseconds> Emulator::next_wake() const {
  std::optional<Nanoseconds> wake;
  for (int to = 0; to < machines_; ++to) {
    const auto one = wake_of(to);
    if (one && (!wake || *one < *wake)) wake = one;
  }
  return wake;
}

void Emulator::set_rate(int machine, int64_t up, int64_t down, Nanoseconds now) {
  const auto index = static_cast<size_t>(machine);
  if (up > 0 && up_.at(index).limited()) {
    up_[index].set_rate(up, now);
    up_rates_[index] = up;
  }
  if (down > 0 && down_.at(index).clock.limited()) {
    down_[index].clock.set_rate(down, now);
    down_[index].bits_per_second = down;
  }
}

void Emulator::could_not_write(const Chunk& chunk) {
  PathCounts& counts = path(chunk.from, chunk.to).counts;
  const Traffic traffic = traffic_of(chunk);
  add(counts.arrived, {-traffic.segments, -traffic.bytes});
  counts.dropped_write += traffic.segments;
}

}  // namespace fairwire
