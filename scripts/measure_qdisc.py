#!/usr/bin/env python3
"""How a queueing discipline on the sending host differs from a link (docs/wire.md): measured, as root.

    measure_qdisc.py FAIRWIRE [RUNS]

netem is not in every kernel; what it shares with the disciplines that are (it sits on the sending host
and sees super-packets) is measured with those: loss by an nftables rule, limits in packets by pfifo, rates
by tbf. Beside each stands the emulated wire with the same numbers. One namespace pair a run, taken
away again.
"""

import contextlib
import json
import os
import pathlib
import re
import statistics
import subprocess
import sys
import tempfile
import time

A, B = f"fairwire-qdisc-{os.getpid()}-a", f"fairwire-qdisc-{os.getpid()}-b"


def run(*words, **options):
    return subprocess.run([str(word) for word in words], check=True, capture_output=True, text=True,
                          timeout=60, **options).stdout


def inside(name, *words):
    return ["ip", "netns", "exec", name, *map(str, words)]


@contextlib.contextmanager
def veth_pair():
    """Sender A (10.0.0.1) and receiver B (10.0.0.2)."""
    try:
        for name in (A, B):
            run("ip", "netns", "add", name)
        run("ip", "link", "add", "v", "netns", A, "type", "veth", "peer", "v", "netns", B)
        for name, address in ((A, "10.0.0.1"), (B, "10.0.0.2")):
            run(*inside(name, "ip", "address", "add", f"{address}/24", "dev", "v"))
            run(*inside(name, "ip", "link", "set", "v", "up"))
            run(*inside(name, "ip", "route", "replace", "10.0.0.0/24", "dev", "v", "src", address,
                        "congctl", "cubic"))
        time.sleep(0.3)
        yield
    finally:
        for name in (A, B):
            subprocess.run(["ip", "netns", "delete", name], capture_output=True)


def retransmitted(snmp):
    heads, values = [line.split() for line in snmp.splitlines() if line.startswith("Tcp:")]
    return int(values[heads.index("RetransSegs")])


def transfer(fairwire, folder, seconds, during=lambda: None):
    """From A to B for so long, with round trips asked for meanwhile; the median of them in ms."""
    servers = [subprocess.Popen(inside(A, fairwire, kind, "serve", "--port", port))
               for kind, port in (("pipe", 7001), ("echo", 7002))]
    time.sleep(0.3)
    try:
        fetch = subprocess.Popen(inside(B, *fetch_words(fairwire, folder, "10.0.0.1", seconds)))
        time.sleep(seconds / 2)
        during()
        run(*inside(B, *probe_words(fairwire, folder, "10.0.0.1")))
        fetch.wait(timeout=60)
    finally:
        for server in servers:
            server.kill()
            server.wait()
    return readings(folder)


def fetch_words(fairwire, folder, host, seconds):
    return [fairwire, "pipe", "fetch", "--from", host, "--port", "7001", "--streams", "1", "--bytes",
            str(1 << 40), "--ms", str(seconds * 1000), "--ramp-ms", str(seconds * 500), "--rate-only",
            "--out", folder / "pipe.json"]


def probe_words(fairwire, folder, host):
    return [fairwire, "echo", "probe", "--to", host, "--port", "7002", "--number", "50", "--out",
            folder / "echo.json"]


def readings(folder):
    pipe = json.loads((folder / "pipe.json").read_text())
    echo = json.loads((folder / "echo.json").read_text())
    return {"mbit": pipe["steady_bytes_per_second"] * 8 / 1e6, "rtt_ms": echo["median_us"] / 1000}


def link(fairwire, folder, seconds, *options):
    """The same over the emulated wire; also what it dropped and what the sender sent again."""
    served = folder / "serve.sh"
    served.write_text("ip route replace 10.77.0.0/24 dev wire src $FAIRWIRE_SELF congctl cubic\n"
                      f"{fairwire} echo serve --port 7002 &\n{fairwire} pipe serve --port 7001 &\n"
                      f"sleep {seconds + 2.5}\ncat /proc/net/snmp >{folder}/snmp\nsleep 60\n")
    fetch = " ".join(map(str, fetch_words(fairwire, folder, "$FAIRWIRE_PEER", seconds)))
    probe = " ".join(map(str, probe_words(fairwire, folder, "$FAIRWIRE_PEER")))
    command = f"sleep 0.5; {fetch} & sleep {seconds / 2}; {probe}; wait; sleep 3"
    said = subprocess.run([fairwire, "link", *options, "--peer", f"sh {served}", "--", "sh", "-c", command],
                          capture_output=True, text=True, timeout=60, check=True).stderr
    dropped = int(re.search(r"peer to here: .* (\d+) dropped", said).group(1))
    return readings(folder) | {"dropped": dropped,
                               "again": retransmitted((folder / "snmp").read_text())}


def loss_on_host(fairwire, folder):
    """Dropped where the super-packet arrives whole: to the sender it was sent, as with netem's loss."""
    with veth_pair():
        run(*inside(B, "nft", "-f", "-"), input=(
            "table netdev t {\n counter c { }\n chain i {\n type filter hook ingress device v priority 0;\n"
            " ip protocol tcp ip length > 1500 numgen random mod 1000 < 2 counter name c drop\n }\n}\n"))
        result = transfer(fairwire, folder, 4)
        result["dropped"] = int(re.search(r"packets (\d+)", run(
            *inside(B, "nft", "list", "counters"))).group(1))
        result["again"] = retransmitted(run(*inside(A, "cat", "/proc/net/snmp")))
        return result


def limit_on_host(fairwire, folder):
    with veth_pair():
        tc = ("tc", "qdisc", "add", "dev", "v")
        run(*inside(A, *tc, "root", "handle", "1:", "htb", "default", "1"))
        run(*inside(A, "tc", "class", "add", "dev", "v", "parent", "1:", "classid", "1:1", "htb",
                    "rate", "100mbit"))
        run(*inside(A, *tc, "parent", "1:1", "pfifo", "limit", "100"))
        most = {"bytes": 0, "packets": 0}

        def look():
            for _ in range(100):
                shown = run(*inside(A, "tc", "-s", "qdisc", "show", "dev", "v"))
                found = re.findall(r"backlog (\d+)([KM]?)b (\d+)p", shown)[-1]
                size = int(found[0]) * {"": 1, "K": 1024, "M": 1 << 20}[found[1]]
                if size > most["bytes"]:
                    most.update(bytes=size, packets=int(found[2]))
        # Sixteen streams: one alone is held back before the queue fills.
        servers = subprocess.Popen(inside(A, fairwire, "pipe", "serve", "--port", 7001))
        time.sleep(0.3)
        words = list(map(str, fetch_words(fairwire, folder, "10.0.0.1", 4)))
        words[words.index("--streams") + 1] = "64"
        fetch = subprocess.Popen(inside(B, *words))
        time.sleep(2)
        look()
        fetch.wait(timeout=60)
        servers.kill()
        servers.wait()
        return most


def rate_on_host(fairwire, folder):
    with veth_pair():
        run(*inside(A, "tc", "qdisc", "add", "dev", "v", "root", "tbf", "rate", "40mbit", "burst", "64kb",
                    "limit", "400000"))
        result = transfer(fairwire, folder, 4)
        shown = run(*inside(A, "tc", "-s", "qdisc", "show", "dev", "v"))
        result["dropped"] = int(re.search(r"dropped (\d+)", shown).group(1))
        result["again"] = retransmitted(run(*inside(A, "cat", "/proc/net/snmp")))
        return result


def main():
    fairwire = pathlib.Path(sys.argv[1]).resolve()
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 3
    results = {}
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for case, measure in {
                    "loss of 0.2 % on the host": lambda: loss_on_host(fairwire, folder),
                    "loss of 0.2 % on the wire": lambda: link(fairwire, folder, 4, "--loss", "0.002"),
                    "limit of 100 packets on the host": lambda: limit_on_host(fairwire, folder),
                    "40 Mbit/s, 400 000 bytes on the host": lambda: rate_on_host(fairwire, folder),
                    "40 Mbit/s, 400 000 bytes on the wire": lambda: link(
                        fairwire, folder, 4, "--rate", "40mbit", "--queue", "400000"),
            }.items():
                results.setdefault(case, []).append(measure())
    for case, runs in results.items():
        figures = {key: round(statistics.median(run[key] for run in runs), 2) for key in runs[0]}
        print(f"{case} (n = {len(runs)}): {json.dumps(figures)}")


main()
