#include "reference/vault/leaf_hash.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "reference/vault/sha256_lanes.h"

namespace fairsync {
namespace {

constexpr size_t kBlock = 64;
// From so many messages on sixteen lanes are faster than pairs.
constexpr size_t kWorthWide = 7;

using Message = std::span<const std::byte>;

Digest digest_from(const Sha256State& state) {
  Digest digest;
  for (size_t i = 0; i < digest.size(); ++i) {
    digest[i] = static_cast<uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  }
  return digest;
}

// One message on its way through a lane: its whole blocks, then its ending.
class Lane {
 public:
  void begin(size_t number, Message message) {
    number_ = number;
    state_ = kSha256Start;
    at_ = message.data();
    blocks_ = message.size() / kBlock;
    in_ending_ = false;
    set_ending(message);
    if (blocks_ == 0) go_on();
  }

  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane& other) {
    number_ = other.number_;
    state_ = other.state_;
    at_ = other.at_;
    blocks_ = other.blocks_;
    in_ending_ = other.in_ending_;
    ending_blocks_ = other.ending_blocks_;
    ending_ = other.ending_;
    if (in_ending_) at_ = ending_.data() + (other.at_ - other.ending_.data());
    return *this;
  }

  size_t number() const { return number_; }
  size_t blocks() const { return blocks_; }
  const std::byte* at() const { return at_; }
  Sha256State& state() { return state_; }
  /// So many blocks have gone into the state; true when that was all.
  bool advance(size_t blocks) {
    at_ += blocks * kBlock;
    blocks_ -= blocks;
    if (blocks_ > 0) return false;
    return in_ending_ || (go_on(), false);
  }

 private:
  // What is left behind the whole blocks, with the bit and the length that end a message
  // (FIPS 180-4, 5.1.1): one block or two.
  void set_ending(Message message) {
    const size_t rest = message.size() % kBlock;
    ending_.fill(std::byte{0});
    if (rest > 0) std::memcpy(ending_.data(), message.data() + message.size() - rest, rest);
    ending_[rest] = std::byte{0x80};
    ending_blocks_ = rest + 9 > kBlock ? 2 : 1;
    const uint64_t bits = uint64_t{message.size()} * 8;
    for (size_t i = 0; i < 8; ++i) {
      ending_[ending_blocks_ * kBlock - 1 - i] = static_cast<std::byte>(bits >> (8 * i));
    }
  }
  void go_on() {
    at_ = ending_.data();
    blocks_ = ending_blocks_;
    in_ending_ = true;
  }

  size_t number_ = 0;
  Sha256State state_{};
  const std::byte* at_ = nullptr;
  size_t blocks_ = 0;
  bool in_ending_ = false;
  size_t ending_blocks_ = 0;
  std::array<std::byte, 2 * kBlock> ending_{};
};

// A lane that is free takes the next message, whatever the others are doing.
class Lanes {
 public:
  Lanes(std::span<const Message> messages, std::span<Digest> digests, size_t most)
      : messages_(messages), digests_(digests), most_(most) {}

  void run() {
    fill();
    while (busy_ > 0) {
      if (busy_ >= kWorthWide) {
        step_wide();
      } else {
        for (size_t i = 0; i < busy_; i += 2)
          step_pair(lanes_[i], lanes_[i + 1 < busy_ ? i + 1 : i]);
      }
      fill();
    }
  }

 private:
  void fill() {
    // Lanes that are done give way to the last busy one.
    for (size_t i = 0; i < busy_;) {
      if (!done_[i]) {
        ++i;
        continue;
      }
      digests_[lanes_[i].number()] = digest_from(lanes_[i].state());
      --busy_;
      if (i == busy_) continue;
      lanes_[i] = lanes_[busy_];
      done_[i] = done_[busy_];
    }
    for (; busy_ < most_ && next_ < messages_.size(); ++next_, ++busy_) {
      lanes_[busy_].begin(next_, messages_[next_]);
      done_[busy_] = false;
    }
  }

  void step_wide() {
    size_t blocks = lanes_[0].blocks();
    for (size_t i = 1; i < busy_; ++i) blocks = std::min(blocks, lanes_[i].blocks());
    std::array<Sha256State, kWideLanes> states;
    std::array<const std::byte*, kWideLanes> from;
    for (size_t i = 0; i < kWideLanes; ++i) {
      Lane& lane = lanes_[i < busy_ ? i : 0];  // the first stands in where there is none
      states[i] = lane.state();
      from[i] = lane.at();
    }
    compress_sixteen(states, from, blocks);
    for (size_t i = 0; i < busy_; ++i) {
      lanes_[i].state() = states[i];
      done_[i] = lanes_[i].advance(blocks);
    }
  }

  void step_pair(Lane& one, Lane& other) {
    const size_t blocks = std::min(one.blocks(), other.blocks());
    std::array<Sha256State, 2> states = {one.state(), other.state()};
    compress_two(states, {one.at(), other.at()}, blocks);
    one.state() = states[0];
    done_[static_cast<size_t>(&one - lanes_.data())] = one.advance(blocks);
    if (&one == &other) return;
    other.state() = states[1];
    done_[static_cast<size_t>(&other - lanes_.data())] = other.advance(blocks);
  }

  std::span<const Message> messages_;
  std::span<Digest> digests_;
  size_t most_;
  size_t next_ = 0;
  size_t busy_ = 0;
  std::array<Lane, kWideLanes> lanes_;
  std::array<bool, kWideLanes> done_{};
};

}  // namespace

HashWay hash_way() {
  static const HashWay way = cpu_has_wide_vectors() && cpu_has_sha_instructions() ? HashWay::sixteen
                             : cpu_has_sha_instructions()                         ? HashWay::two
                                                                                  : HashWay::one;
  return way;
}

void sha256_each(std::span<const Message> messages, std::span<Digest> digests, HashWay way) {
  if (way != HashWay::one) {
    return Lanes(messages, digests, way == HashWay::two ? 2 : kWideLanes).run();
  }
  Sha256 hash;
  for (size_t i = 0; i < messages.size(); ++i) {
    hash.update(messages[i]);
    digests[i] = hash.finish();
  }
}

std::vector<std::vector<Digest>> leaf_digests(std::span<const Message> chunks) {
  std::vector<Message> leaves;
  for (const Message chunk : chunks) {
    for (size_t at = 0; at < chunk.size(); at += kLeafBytes) {
      leaves.push_back(chunk.subspan(at, std::min(kLeafBytes, chunk.size() - at)));
    }
  }
  std::vector<Digest> digests(leaves.size());
  sha256_each(leaves, digests);
  std::vector<std::vector<Digest>> result;
  auto next = digests.begin();
  for (const Message chunk : chunks) {
    const auto count = static_cast<std::ptrdiff_t>((chunk.size() + kLeafBytes - 1) / kLeafBytes);
    result.emplace_back(next, next + count);
    next += count;
  }
  return result;
}

std::vector<Digest> leaf_digests(Message chunk) {
  return std::move(leaf_digests(std::span(&chunk, 1)).front());
}

}  // namespace fairsync
