// The model of a wire (docs/wire.md): N machines, each with an access link up and down, and a path
// for every ordered pair. Pure: it is told the time, and says what is due when.
// Invariants: later stages see the times at which the model has a segment arrive, never those at
// which it was asked; loss and jitter depend on seed and segment number alone; the work for a
// segment does not grow with what came before or waits.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "drivers/wires/packet_queue.h"
#include "drivers/wires/segments.h"
#include "drivers/wires/wire_trace.h"

namespace fairwire {

/// Ethernet around an IP packet: preamble 8, header 14, checksum 4, gap 12.
constexpr int kFramingBytes = 38;
/// The longest chunk in time of the slowest link it passes: so much for each machine of the wire,
/// since every chunk costs the same work, and all links may be busy at once; at least kChunkTime.
constexpr Nanoseconds kChunkTime = std::chrono::microseconds(250);
constexpr Nanoseconds kChunkTimeEach = Nanoseconds(62'500);
constexpr int kMostMachines = 32;

/// A trace by its file, and what was read from it; nullptr: none.
struct TraceModel {
  std::string file;
  Nanoseconds repeat{};
  std::shared_ptr<const WireTrace> trace;
};

struct AccessModel {
  LinkRate up;
  LinkRate down;
  TraceModel up_trace = {};
  TraceModel down_trace = {};
};

/// The bad state of a Gilbert-Elliott channel; `loss` of the path is that of the good one.
struct BurstLoss {
  double enter = 0;  ///< chance, before each segment, to go from good to bad; 0: it never does
  double leave = 1;  ///< chance to go back
  double loss = 1;   ///< share of segments in the bad state

  bool operator==(const BurstLoss&) const = default;
};

/// Share of segments that are lost in the long run.
double mean_loss(double loss, const BurstLoss& burst);

struct PathModel {
  Nanoseconds delay{};
  Nanoseconds jitter{};  ///< adds 0 … jitter
  double loss = 0;       ///< share of segments, 0 … 1
  BurstLoss burst;
  LinkRate rate;
  uint64_t seed = 0;
  TraceModel trace = {};  ///< of rate, delay and loss; they begin with start_traces()
};

struct WireModel {
  std::vector<AccessModel> machines;
  std::vector<PathModel> paths;  ///< of (from, to) at from * N + to
};

struct Traffic {
  int64_t segments = 0;
  int64_t bytes = 0;  ///< IP and framing
};

struct PathCounts {
  Traffic sent;
  Traffic arrived;
  int64_t dropped_up_queue = 0;
  int64_t dropped_loss = 0;
  int64_t dropped_path_queue = 0;
  int64_t dropped_down_queue = 0;
  int64_t dropped_write = 0;  ///< the device of the receiver took it not
  int64_t dropped_link_down = 0;
  int64_t dropped_blackhole = 0;

  int64_t dropped() const {
    return dropped_up_queue + dropped_loss + dropped_path_queue + dropped_down_queue +
           dropped_write + dropped_link_down + dropped_blackhole;
  }
};

/// Neighbouring segments of one packet on their way.
struct Chunk {
  PacketRef packet;
  int from = 0;
  int to = 0;
  int first = 0;
  int count = 0;
};

struct DueChunk {
  Nanoseconds due{};
  Chunk chunk;
};

class Emulator {
 public:
  /// Throws std::invalid_argument when the numbers of machines and paths do not fit.
  explicit Emulator(const WireModel& model);

  int machines() const { return machines_; }
  /// A packet leaves machine `from` now. Times of successive calls never go back.
  void offer(int from, int to, const PacketRef& packet, Nanoseconds now);
  /// The next chunk that has arrived by now, or nullopt.
  std::optional<DueChunk> take_due(Nanoseconds now);
  /// Not later than the next chunk is due; nullopt: nothing is on its way.
  std::optional<Nanoseconds> next_wake() const;
  /// A chunk that was taken could not be handed over.
  void could_not_write(const Chunk& chunk);

  // Changes while it runs: docs/wire.md. Indices must be those of machines.
  void set_link(int machine, bool up) { link_up_.at(static_cast<size_t>(machine)) = up; }
  /// Rates of 0 leave the direction as it is; a direction without a limit gets none.
  void set_rate(int machine, int64_t up, int64_t down, Nanoseconds now);
  void set_delay(int from, int to, Nanoseconds delay) { path(from, to).model.delay = delay; }
  /// Every trace begins now; until then links have their mean rates, paths their first row.
  void start_traces(Nanoseconds now);
  void set_blackhole(int from, int to, bool on) { path(from, to).blackhole = on; }

  const PathCounts& counts(int from, int to) const { return path(from, to).counts; }
  /// Steps of inner loops so far, to show that a packet costs the same after any number of others.
  int64_t steps() const { return steps_; }

 private:
  struct Flight {
    Chunk chunk;
    Nanoseconds first_arrival{};  // of its first segment, at the receiver's link
    Nanoseconds last_arrival{};
  };
  struct Path {
    PathModel model;
    LinkClock clock;
    bool in_burst = false;
    bool blackhole = false;
    uint64_t segment_number = 0;
    Nanoseconds last_arrival{};
    std::deque<Flight> flights;
    PathCounts counts;
  };
  struct Down {
    LinkClock clock;
    int64_t bits_per_second = 0;
    DelayLine<Chunk> line;
    int next_from = -1;       // whose first flight comes to the link next
    Nanoseconds next_time{};  // and when
  };

  const Path& path(int from, int to) const {
    return paths_[static_cast<size_t>(from * machines_ + to)];
  }
  Path& path(int from, int to) { return paths_[static_cast<size_t>(from * machines_ + to)]; }
  int most_segments(int from, int to, const PacketShape& shape) const;
  static bool is_lost(Path& on, uint64_t number);
  void follow_trace(Path& on, Nanoseconds time) const;
  std::optional<Nanoseconds> cross(int from, Path& on, int64_t bytes, Nanoseconds now);
  void note_front(int from, int to);
  void find_next(int to);
  static Nanoseconds sort_time(const Down& down, const Flight& flight);
  void land_until(int to, Nanoseconds now);
  void land(const Flight& flight);
  std::optional<Nanoseconds> wake_of(int to) const;

  int machines_ = 0;
  Nanoseconds chunk_time_{};
  std::vector<LinkClock> up_;
  std::vector<int64_t> up_rates_;
  std::vector<bool> link_up_;
  std::optional<Nanoseconds> traces_began_;
  std::vector<Down> down_;
  std::vector<Path> paths_;
  int64_t steps_ = 0;
};

}  // namespace fairwire
