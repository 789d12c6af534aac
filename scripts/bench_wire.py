#!/usr/bin/env python3
"""The accuracy table of docs/wire.md: every profile, cubic and bbr, n runs each on fresh namespaces.

    bench_wire.py BUILD [RUNS]

BUILD has tests/measure_wire and fairwire. Runs are interleaved: every profile and algorithm once,
then all of them again. A row is Markdown; figures are medians, ranges in brackets.
"""

import json
import statistics
import subprocess
import sys

# Mbit/s, round trip in ms, least seconds (half of it is left to the ramp)
PROFILES = [(1000, 9, 6), (800, 33, 8), (600, 330, 24), (100, 31, 8), (40, 80, 10), (0, 0, 3)]
ALGORITHMS = ["cubic", "bbr"]
HEAD = ("| link | algorithm | n | goodput, % of theory | RTT over declared, ms (median of 100 probes) "
        "| lateness median, p99, max, µs | forwarder, cores | device drops |\n"
        "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |")


def measure(build, rate, rtt, seconds, algorithm):
    out = subprocess.run([f"{build}/tests/measure_wire", f"{build}/fairwire", str(rate), str(rtt),
                          algorithm, str(seconds), "1"], check=True, capture_output=True, text=True,
                         timeout=120)
    return json.loads(out.stdout)


def spread(values, digits):
    values = sorted(values)
    text = f"{statistics.median(values):.{digits}f}"
    return text if len(values) < 2 else f"{text} [{values[0]:.{digits}f} … {values[-1]:.{digits}f}]"


def row(rate, rtt, algorithm, runs):
    late = [run["lateness"] for run in runs]
    if rate:
        goodput = spread([100 * run["share_of_theory"] for run in runs], 2)
        name = f"{rate} Mbit/s {rtt} ms"
    else:
        goodput = spread([run["mbit_per_second"] / 1000 for run in runs], 1) + " Gbit/s"
        name = "no limit, no delay"
    over = spread([run["round_trip"]["median_us"] / 1000 - rtt for run in runs], 2)
    lateness = ", ".join(f"{statistics.median(one[key] for one in late):.0f}"
                         for key in ("median_us", "p99_us", "maximum_us"))
    cores = spread([run["forwarder_cores"] for run in runs], 2)
    drops = sum(one["device_drops"] + one["failed_writes"] for one in late)
    return f"| {name} | {algorithm} | {len(runs)} | {goodput} | {over} | {lateness} | {cores} | {drops} |"


def main():
    build = sys.argv[1]
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    results = {}
    for number in range(rounds):
        for rate, rtt, seconds in PROFILES:
            for algorithm in ALGORITHMS:
                print(f"round {number + 1}: {rate} Mbit/s {rtt} ms {algorithm}", file=sys.stderr)
                results.setdefault((rate, rtt, algorithm), []).append(
                    measure(build, rate, rtt, seconds, algorithm))
    print(HEAD)
    for (rate, rtt, algorithm), runs in results.items():
        print(row(rate, rtt, algorithm, runs))


main()
