// What a vault costs per byte, on one core: chunks, ids, blocks, packs. By hand: make bench-vault.
#include <benchmark/benchmark.h>

#include <string>

#include "base/rng.h"
#include "reference/vault/leaf_hash.h"
#include "reference/vault/pack.h"

namespace {

using namespace fairsync;
constexpr size_t kBytes = 128 << 20;

const std::vector<std::byte>& random_data() {
  static const std::vector<std::byte> data = [] {
    std::vector<std::byte> bytes(kBytes);
    fairwire::Rng(1).fill(bytes);
    return bytes;
  }();
  return data;
}

const std::vector<std::byte>& text_data() {
  static const std::vector<std::byte> data = [] {
    std::string text;
    fairwire::Rng rng(2);
    while (text.size() < kBytes) {
      text += "2026-11-30T12:" + std::to_string(rng.below(60)) + " host" +
              std::to_string(rng.below(40)) + " GET /" + std::to_string(rng.below(100'000)) +
              "/index.html 200 in " + std::to_string(rng.below(5000)) + " ms\n";
    }
    const auto* from = reinterpret_cast<const std::byte*>(text.data());
    return std::vector<std::byte>(from, from + kBytes);
  }();
  return data;
}

const VaultKeys& keys() {
  static const VaultKeys made(Key256{1, 2, 3});
  return made;
}

void counted(benchmark::State& state) {
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * static_cast<int64_t>(kBytes));
}

void chunk(benchmark::State& state) {
  const auto& data = random_data();
  for (auto _ : state) {
    const Chunker chunker(keys().gear(), static_cast<SizeClass>(state.range(0)));
    size_t at = 0;
    while (at < data.size()) at += chunker.next(std::span(data).subspan(at), true);
    benchmark::DoNotOptimize(at);
  }
  counted(state);
}
BENCHMARK(chunk)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

void chunk_by_two_threads(benchmark::State& state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(cut_all(random_data(), keys().gear(), SizeClass::medium, 2));
  }
  counted(state);
}
BENCHMARK(chunk_by_two_threads)->UseRealTime()->Unit(benchmark::kMillisecond);

// 0: by OpenSSL, 1: two at a time, 2: sixteen.
void hash_leaves(benchmark::State& state) {
  std::vector<std::span<const std::byte>> leaves;
  for (size_t at = 0; at < kBytes; at += kLeafBytes) {
    leaves.push_back(std::span(random_data()).subspan(at, kLeafBytes));
  }
  std::vector<Digest> digests(leaves.size());
  const auto way = static_cast<HashWay>(state.range(0));
  if (way > hash_way()) return state.SkipWithError("this CPU has not that way");
  for (auto _ : state) {
    sha256_each(leaves, digests, way);
    benchmark::DoNotOptimize(digests.data());
  }
  counted(state);
}
BENCHMARK(hash_leaves)->Arg(0)->Arg(1)->Arg(2)->Unit(benchmark::kMillisecond);

// Four chunks with their tails at once.
void name_chunks(benchmark::State& state) {
  std::vector<std::span<const std::byte>> chunks;
  for (auto _ : state) {
    for (size_t at = 0; at < kBytes; at += 1 << 20) {
      chunks.clear();
      for (size_t i = 0; i < 4; ++i) {
        chunks.push_back(std::span(random_data()).subspan(at + i * (256 << 10), 250'000));
      }
      benchmark::DoNotOptimize(keys().chunk_ids(chunks));
    }
  }
  state.SetBytesProcessed(static_cast<int64_t>(state.iterations()) * 128 * 1'000'000);
}
BENCHMARK(name_chunks)->Unit(benchmark::kMillisecond);

// The whole way of a byte to a store but for the store: cut, name, probe, compress, seal. Names are
// made for a megabyte or more at once.
void pack(benchmark::State& state, const std::vector<std::byte>& data) {
  const Chunker chunker(keys().gear(), SizeClass::small);
  BlockCodec codec;
  PackWriter writer(keys());
  std::vector<std::span<const std::byte>> chunks;
  size_t stored = 0;
  for (auto _ : state) {
    stored = 0;
    for (size_t at = 0; at < data.size();) {
      chunks.clear();
      for (size_t batch = 0; batch < 1 << 20 && at < data.size(); batch += chunks.back().size()) {
        const auto rest = std::span(data).subspan(at);
        chunks.push_back(rest.first(chunker.next(rest, true)));
        at += chunks.back().size();
      }
      const std::vector<ChunkId> ids = keys().chunk_ids(chunks);
      for (size_t i = 0; i < chunks.size(); ++i) {
        writer.add(ids[i], chunks[i], static_cast<int>(state.range(0)), codec);
        if (!writer.full()) continue;
        stored += writer.finish().size();
        writer.restart();
      }
    }
    stored += writer.finish().size();
    writer.restart();
  }
  counted(state);
  state.counters["stored_share"] = static_cast<double>(stored) / static_cast<double>(data.size());
}
BENCHMARK_CAPTURE(pack, random, random_data())->Arg(3)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(pack, text, text_data())->Arg(1)->Arg(3)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
