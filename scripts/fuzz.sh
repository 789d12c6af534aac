#!/bin/sh
# Runs every fuzzer of a build folder for so many seconds, from its seed corpus, in a private copy.
# usage: scripts/fuzz.sh BUILD_FOLDER SECONDS
set -eu
build=$1
seconds=$2
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
for fuzzer in "$build"/tests/fuzz/fuzz_*; do
  [ -x "$fuzzer" ] && [ -f "$fuzzer" ] || continue
  name=$(basename "$fuzzer")
  mkdir -p "$work/$name"
  seeds=$root/tests/fuzz/corpus/${name#fuzz_}
  [ -d "$seeds" ] || seeds=
  echo "fuzzing $name for $seconds s"
  # shellcheck disable=SC2086
  "$fuzzer" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=0 \
    -artifact_prefix="$work/$name-" "$work/$name" $seeds >"$work/$name.log" 2>&1 || {
    tail -40 "$work/$name.log"; echo "$name failed" >&2; exit 1; }
  count=$((count + 1))
done
[ "$count" -gt 0 ] || { echo "no fuzzer in $build" >&2; exit 1; }
echo "fuzzers: $count passed, 0 failed"
