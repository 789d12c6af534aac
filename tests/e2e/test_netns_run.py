"""A run between fresh namespaces, its bad days, and what must not be left behind."""

import json
import os
import random
import signal
import time

import pytest

from conftest import ROOT, leftovers, needs_root

pytestmark = needs_root

KILLS = int(os.environ.get("FAIRWIRE_KILLS", "50"))

PLAN = {
    "schema": 1, "name": "short", "testbed": "two-rooms", "rounds": 2,
    "controls": ["pipe-1"], "variants": ["rsync-daemon", "scp"],
    "cases": [{"name": "c", "scenario": "pull", "dataset": "tiny", "wire": "fast"}],
}


@pytest.fixture
def plan(fairwire):
    path = fairwire.folder / "short.json"
    # scp follows symlinks: a recipe of plain files for everybody
    PLAN["cases"][0]["dataset"] = "small-100"
    path.write_text(json.dumps(PLAN))
    return path


def test_every_pull_is_verified_and_nothing_is_left(fairwire, plan, nothing_left):
    result = fairwire.run(plan)
    assert result.returncode == 0, result.stdout + result.stderr
    trials = fairwire.trials()
    assert len(trials) == 4
    for trial in trials:
        assert trial["verdict"] == "identical", trial["reason"]
        machines = {m["machine"]: m for m in trial["machines"]}
        assert machines["reader"]["cpu_total_us"] > 0 and machines["writer"]["cpu_total_us"] > 0
        payload = trial["ops"][0]["bytes"]
        there = next(w for w in trial["wires"] if w["from"] == "writer")
        assert payload < there["bytes"] < 1.3 * payload
    header = fairwire.records()[0]
    assert header["type"] == "header"
    tools = {tool["name"]: tool for tool in header["context"]["tools"]}
    assert tools["rsync-daemon"]["version"] and tools["sshd"]["binaries"]
    for name in ("plan.json", "testbed.json", "context.json", "report/index.html",
                 "report/report.md", "report/summary.json"):
        assert (fairwire.run_folder() / name).stat().st_size > 0


def test_ctrl_c_leaves_valid_records_and_nothing_else(fairwire, plan, nothing_left):
    process = fairwire.start("run", plan, "--runs", fairwire.runs)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if list(fairwire.runs.glob("*/*/results.jsonl")) and len(fairwire.records()) > 3:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, out + err
    assert fairwire.records()[-1] | {"status": "interrupted"} == fairwire.records()[-1]
    assert (fairwire.run_folder() / "report" / "index.html").exists()


def test_a_killed_run_is_swept_by_the_next(fairwire, plan):
    """kill -9 at random moments: what the kernel does not take back, the next start does.

    Every other run is on an emulated wire, whose forwarder is a process of its own.
    """
    away = fairwire.folder / "away.json"
    away.write_text(json.dumps(PLAN | {"name": "away", "cases": [PLAN["cases"][0] | {"wire": "away"}]}))
    rng = random.Random(2026)
    unclean = 0
    for number in range(KILLS):
        process = fairwire.start("run", [plan, away][number % 2], "--runs", fairwire.runs)
        time.sleep(rng.uniform(0.02, 2.5))
        process.kill()
        process.communicate()
        unclean += bool(leftovers())
    swept = fairwire.call("sweep")
    assert swept.returncode == 0
    deadline = time.monotonic() + 10  # pid namespaces end a moment after their pid 1
    while leftovers() and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not leftovers(), leftovers()
    print(f"{KILLS} kills, {unclean} of them left something for the sweep")
    for results in fairwire.runs.glob("*/*/results.jsonl"):
        lines = results.read_text().split("\n")
        for line in lines[:-1]:
            json.loads(line)


def test_a_run_sweeps_by_itself(fairwire, plan):
    process = fairwire.start("run", plan, "--runs", fairwire.runs)
    time.sleep(1.0)
    process.kill()
    process.communicate()
    result = fairwire.run(plan)
    assert result.returncode == 0, result.stderr
    assert not leftovers()
