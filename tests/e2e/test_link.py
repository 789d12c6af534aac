"""`fairwire link` and traces, with real traffic: what the link was told is what the traffic met."""

import json

import pytest

from conftest import FAIRWIRE, Fairwire, needs_root

pytestmark = needs_root
MEBIBYTE = 1 << 20


def fetched(folder, *options, size=MEBIBYTE):
    """Seconds and agreement of a fetch from the peer to the command, behind a link with `options`."""
    out = folder / "reading.json"
    script = (f"until {FAIRWIRE} pipe fetch --from $FAIRWIRE_PEER --port 7001 --streams 1 "
              f"--bytes {size} --ms 10000 --out {out}; do sleep 0.05; done")
    result = Fairwire(folder).call("link", *options, "--peer", f"{FAIRWIRE} pipe serve --port 7001",
                                   "--", "sh", "-c", script, timeout=120)
    assert result.returncode == 0, result.stderr
    reading = json.loads(out.read_text())
    assert reading["agreed"] and reading["bytes"] == size
    return reading["elapsed_ns"] / 1e9, result.stderr


def test_up_and_down_have_rates_of_their_own(tmp_path, nothing_left):
    least = MEBIBYTE * 8 * 1538 / 1500 / 8e6  # what 8 Mbit/s take for it
    slow, _ = fetched(tmp_path, "--up", "80mbit", "--down", "8mbit", "--rtt", "4ms")
    assert slow > least
    fast, _ = fetched(tmp_path, "--up", "8mbit", "--down", "80mbit", "--rtt", "4ms")
    assert fast < slow / 2
    both, _ = fetched(tmp_path, "--rate", "8mbit")
    assert both > least


def test_bursts_are_lost_and_counted(tmp_path):
    _, said = fetched(tmp_path, "--rate", "80mbit", "--rtt", "4ms", "--burst", "0.01,0.5,1")
    dropped = [line for line in said.splitlines() if line.startswith("fairwire: peer to here")
               or "peer to here" in line]
    assert dropped and not dropped[0].endswith(" 0 dropped")


def test_an_outage_of_a_trace_is_in_the_time(tmp_path):
    trace = tmp_path / "outage.csv"
    trace.write_text("t,rate,delay,loss\n0,0bit,,\n1.5,80mbit,,\n")
    seconds, _ = fetched(tmp_path, "--down-trace", trace, "--rtt", "4ms")
    assert seconds > 1.0


def test_a_made_up_trace_is_followed(tmp_path):
    walk = Fairwire(tmp_path).call("trace", "--seed", 3, "--from", "4mbit", "--to", "8mbit")
    assert walk.stdout == Fairwire(tmp_path).call(
        "trace", "--seed", 3, "--from", "4mbit", "--to", "8mbit").stdout
    trace = tmp_path / "walk.csv"
    trace.write_text(walk.stdout)
    seconds, _ = fetched(tmp_path, "--down-trace", trace, "--repeat", 60, "--rtt", "4ms")
    assert seconds > MEBIBYTE * 8 * 1538 / 1500 / 8e6


@pytest.mark.parametrize("options, words", [
    (["--rate", "fast"], "is no rate"),
    (["--rate", "8mbit", "--queue", "1000"], "holds no full segment"),
    (["--burst", "2,1"], "shares from 0 to 1"),
    (["--down-trace", "/nowhere/x.csv"], "/nowhere/x.csv"),
])
def test_what_makes_no_link_is_refused_in_one_line(tmp_path, options, words):
    result = Fairwire(tmp_path).call("link", *options, "--", "true")
    assert result.returncode not in (0, 1, 130)
    assert result.stderr.count("\n") == 1 and words in result.stderr, result.stderr


def test_a_trace_in_a_testbed_begins_with_the_timed_part(tmp_path, nothing_left):
    (tmp_path / "outage.csv").write_text("t,rate,delay,loss\n0,80mbit,,\n0.1,0bit,,\n0.9,80mbit,,\n")
    (tmp_path / "rooms.json").write_text(json.dumps({
        "schema": 1, "name": "rooms", "machines": [{"name": "reader", "kind": "netns"},
                                                   {"name": "writer", "kind": "netns"}],
        "wires": [{"name": "broken", "kind": "tun", "paths": [
            {"from": "writer", "to": "reader", "trace": "outage.csv"},
            {"from": "reader", "to": "writer", "delay_ms": 2}]},
            {"name": "whole", "kind": "tun", "paths": [
                {"from": "writer", "to": "reader", "rate": "80mbit"},
                {"from": "reader", "to": "writer", "delay_ms": 2}]}]}))
    (tmp_path / "plan.json").write_text(json.dumps({
        "schema": 1, "name": "traced", "testbed": "rooms.json", "rounds": 1, "controls": [],
        "variants": ["rsync-daemon"],
        "cases": [{"name": wire, "scenario": "pull", "dataset": "random-16mib", "wire": wire}
                  for wire in ("broken", "whole")]}))
    fairwire = Fairwire(tmp_path)
    result = fairwire.call("run", tmp_path / "plan.json", "--testbed", tmp_path / "rooms.json",
                           "--runs", fairwire.runs)
    trials = {trial["case"]: trial for trial in fairwire.trials()}
    assert {t["verdict"] for t in trials.values()} == {"identical"}, result.stdout + result.stderr
    broken, whole = (trials[name]["ops"][0]["wall_ns"] for name in ("broken", "whole"))
    assert broken > whole + 500e6
    assert (fairwire.run_folder() / "traces" / "outage.csv").exists()
