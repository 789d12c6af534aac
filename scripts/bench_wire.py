#!/usr/bin/env python3
"""The tables of docs/wire.md: accuracy (every profile, cubic and bbr) and wires with many ends, n runs
each on fresh namespaces.

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


SWARM_HEAD = ("| wire | n | payload received, % of what was sent or fits: least, median machine | RTT over declared, ms "
              "| lateness median, p99, max, µs | forwarder, cores | device drops |\n"
              "| --- | ---: | ---: | ---: | ---: | ---: | ---: |")
SWARMS = {"cities": "Paris, Amsterdam, Warsaw, 100 Mbit/s each, six streams of 20 Mbit/s",
          "sixteen": "sixteen machines at 50 Mbit/s, 20 ms, all 240 pairs at full speed (cubic)"}


def measure_swarm(build, load):
    out = subprocess.run([f"{build}/tests/measure_swarm", f"{build}/fairwire", load, "8"], check=True,
                         capture_output=True, text=True, timeout=120)
    return json.loads(out.stdout)


def swarm_row(load, runs):
    late = [run["lateness"] for run in runs]
    shares = (spread([100 * run["least_share"] for run in runs], 1) + ", "
              + spread([100 * run["median_share"] for run in runs], 1))
    over = [ms for run in runs for ms in run["round_trip_over_ms"]]
    lateness = ", ".join(f"{statistics.median(one[key] for one in late):.0f}"
                         for key in ("median_us", "p99_us", "maximum_us"))
    cores = spread([run["forwarder_cores"] for run in runs], 2)
    drops = sum(one["device_drops"] + one["failed_writes"] for one in late)
    return (f"| {SWARMS[load]} | {len(runs)} | {shares} | {spread(over, 2) if over else 'not asked'} "
            f"| {lateness} | {cores} | {drops} |")


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
        for load in SWARMS:
            print(f"round {number + 1}: {load}", file=sys.stderr)
            results.setdefault(load, []).append(measure_swarm(build, load))
    swarms = {load: results.pop(load) for load in SWARMS}
    print(HEAD)
    for (rate, rtt, algorithm), runs in results.items():
        print(row(rate, rtt, algorithm, runs))
    print("\n" + SWARM_HEAD)
    for load, runs in swarms.items():
        print(swarm_row(load, runs))


main()
