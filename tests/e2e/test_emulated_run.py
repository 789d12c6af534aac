"""Runs on the emulated wire: calibration, conditions, what the record says, and a dead forwarder."""

import json
import os
import pathlib
import signal
import time

import pytest

from conftest import needs_root

pytestmark = needs_root

TESTBED = {
    "schema": 1, "name": "bench", "machines": [
        {"name": "reader", "kind": "netns"}, {"name": "writer", "kind": "netns"}],
    "wires": [{"name": "line", "kind": "tun", "goodput_bound": 0.2, "round_trip_bound": 0.5,
               "access": [{"machine": "*", "up": {"rate": "100mbit"}, "down": {"rate": "100mbit"}}],
               "paths": [{"from": "*", "to": "*", "delay_ms": 5}]}],
}
CASE = {"name": "c", "scenario": "pull", "dataset": "small-100", "wire": "line"}


@pytest.fixture
def run(fairwire):
    def start(cases, wire=None, variants=("rsync-daemon",), **more):
        wires = [TESTBED["wires"][0] | (wire or {})]
        (fairwire.folder / "bench.json").write_text(json.dumps(TESTBED | {"wires": wires}))
        plan = fairwire.folder / "emulated.json"
        plan.write_text(json.dumps({
            "schema": 1, "name": "emulated", "testbed": str(fairwire.folder / "bench.json"),
            "rounds": 1, "variants": list(variants), "cases": cases} | more))
        return plan
    return start


def of_type(fairwire, kind):
    return [record for record in fairwire.records() if record["type"] == kind]


def test_conditions_reach_every_connection_and_the_record(fairwire, run, nothing_left):
    def case(name, conditions):
        return CASE | {"name": name, "conditions": conditions}

    available = pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text()
    plan = run([case("reno", {"congestion": "reno", "buffers": "tuned"}),
                case("cubic", {"congestion": "cubic", "congestion_locked": False}),
                case("plain", {})], variants=("rsync-daemon", "fairsync"))
    result = fairwire.run(plan)
    late = any("invalid" in trial["flags"] for trial in fairwire.trials())  # a robbed host may be
    assert result.returncode == (4 if late else 0), result.stdout + result.stderr
    trials = {(t["case"], t["variant"]): t for t in fairwire.trials()}
    assert len(trials) == 6
    for (name, variant), trial in trials.items():
        assert trial["verdict"] == "identical", trial["reason"]
        assert "invalid" not in trial["flags"] or trial["wire_report"]["p99_us"] > 5000
        assert trial["wire_report"]["p99_us"] >= trial["wire_report"]["median_us"] >= 0
        assert trial["wire_report"]["device_drops"] == 0
        reader = next(m for m in trial["machines"] if m["machine"] == "reader")
        assert reader["connections"] >= (4 if variant == "fairsync" else 1)
        assert sum(reader["congestion"].values()) == reader["connections"]
        known = {word for word in reader["congestion"] if word != "unknown"}
        assert known <= ({name} if name != "plain" else set(available.split()))
    assert any("reno" in m["congestion"] for m in trials["reno", "fairsync"]["machines"])
    wires = {(w["wanted"]["buffers"], w["wanted"]["congestion_control"]): w["conditions"]
             for w in of_type(fairwire, "header")[0]["context"]["wires"]}
    assert set(wires) == {("tuned", "reno"), ("default", "cubic"), ("default", None)}
    assert "134217728" in json.dumps(wires["tuned", "reno"])
    readings = of_type(fairwire, "calibration")
    assert {r["when"] for r in readings} == {"before", "after"}
    assert readings[-1]["status"] == "within bounds", readings[-1]["reason"]
    assert readings[0]["reading"]["theory_bytes_per_second"] == 100_000_000 // 8 * 1448 // 1538


def test_a_wire_out_of_bounds_stops_the_run(fairwire, run, nothing_left):
    # No wire reaches its theory to the last byte: with a bound of nothing it is always out.
    result = fairwire.run(run([CASE], {"goodput_bound": 0}))
    assert result.returncode == 4, result.stdout + result.stderr
    assert "wire line, before the trials: goodput" in result.stderr
    assert fairwire.trials() == []
    assert of_type(fairwire, "end")[0]["status"] == "unfit"
    assert [r["status"] for r in of_type(fairwire, "calibration")] == ["out of bounds"] * 3
    again = fairwire.call("report", fairwire.run_folder())
    assert again.returncode == 4
    assert "out of bounds" in (fairwire.run_folder() / "report" / "report.md").read_text()


def test_a_congestion_control_that_is_not_there_is_unsupported(fairwire, run, nothing_left):
    if "bbr" in pathlib.Path("/proc/sys/net/ipv4/tcp_available_congestion_control").read_text():
        pytest.skip("this kernel has bbr")
    plan = run([CASE, CASE | {"name": "b", "conditions": {"congestion": "bbr"}}])
    assert fairwire.run(plan).returncode == 0
    outcomes = {trial["case"]: trial["outcome"] for trial in fairwire.trials()}
    assert outcomes == {"c": "completed", "b": "unsupported"}


def forwarders(parent):
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            command = (process / "cmdline").read_bytes().split(b"\0")
            status = (process / "stat").read_text()
        except OSError:
            continue
        if b"forward" in command[1:2] and int(status.rpartition(")")[2].split()[1]) == parent:
            found.append(int(process.name))
    return found


def test_a_dead_forwarder_is_one_bad_trial(fairwire, run, nothing_left):
    plan = run([CASE | {"dataset": "random-16mib", "stall_s": 3}], rounds=3)
    process = fairwire.start("run", plan, "--runs", fairwire.runs)
    deadline = time.monotonic() + 60
    killed = False
    while not killed and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.02)
        running = list(fairwire.runs.glob("*/*/trials")) and fairwire.records()
        if not running or not any(r["type"] == "calibration" for r in running):
            continue
        time.sleep(0.5)  # in the middle of the first pull
        for pid in forwarders(process.pid):
            os.kill(pid, signal.SIGKILL)
            killed = True
    out, err = process.communicate(timeout=120)
    assert killed, "no forwarder was seen"
    assert process.returncode == 4, out + err
    outcomes = [trial["outcome"] for trial in fairwire.trials()]
    assert len(outcomes) == 3
    assert sorted(outcomes)[:2] == ["completed", "completed"], outcomes
    assert set(outcomes) - {"completed"}, "the trial whose wire died counts as measured"
