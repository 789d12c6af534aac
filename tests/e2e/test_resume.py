"""A run killed in the middle: its page shows every cell, and `resume` makes it whole."""

import json
import signal
import time

import pytest

from conftest import Fairwire, needs_root

PLAN = {"schema": 1, "name": "cut-short", "testbed": "two-rooms", "rounds": 3,
        "controls": ["kernel"], "variants": ["rsync-daemon", "scp"],
        "cases": [{"name": "small", "scenario": "pull", "dataset": "small-100", "wire": "fast"},
                  {"name": "tiny", "scenario": "pull", "dataset": "own", "wire": "fast",
                   "controls": []}]}
OWN = {"schema": 2, "name": "own", "title": "two files", "first_mtime_s": 1700000000,
       "entries": [{"kind": "file", "path": "a", "size": 1000},
                   {"kind": "file", "path": "b", "size": 2000}]}


def cells(fairwire):
    return {(case, variant, n) for case in ("small", "tiny") for variant in ("rsync-daemon", "scp")
            for n in [sum((t["case"], t["variant"]) == (case, variant) for t in fairwire.trials())]}


@needs_root
def test_killed_in_the_middle_and_gone_on_with(tmp_path, nothing_left):
    fairwire = Fairwire(tmp_path)
    plan = tmp_path / "plan.json"
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "own.json").write_text(json.dumps(OWN))
    plan.write_text(json.dumps(PLAN))
    process = fairwire.start("run", plan, "--runs", fairwire.runs)
    until = time.monotonic() + 120
    while time.monotonic() < until:
        files = list(fairwire.runs.glob("*/*/results.jsonl"))
        if files and files[0].read_text().count('"type":"trial"') >= 6:
            break
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    run = fairwire.run_folder()
    with (run / "results.jsonl").open("a") as results:  # what a crash of the host could leave
        results.write('{"type":"trial","session":')
    plan.unlink()
    (tmp_path / "specs" / "own.json").unlink()

    cut = fairwire.call("report", run)
    page = (run / "report" / "report.md").read_text()
    assert "not recorded" in page and "was interrupted" in page, cut.stdout
    for title in ("small", "tiny"):
        for variant in ("rsync-daemon", "scp"):
            rows = page[page.index(f"## {title}"):]
            row = next(line for line in rows.splitlines() if line.startswith(f"| {variant} |"))
            assert "verified" in row or "not run" in row

    result = fairwire.call("resume", run)
    assert result.returncode == 0, result.stdout + result.stderr
    assert " of 15 left" in result.stderr
    assert cells(fairwire) == {(c, v, 3) for c in ("small", "tiny") for v in ("rsync-daemon", "scp")}
    records = fairwire.records()
    numbers = [r["trial"] for r in records if r["type"] == "trial"]
    assert sorted(numbers) == list(range(1, 16))
    headers = [r["session"] for r in records if r["type"] == "header"]
    assert len(headers) == 2 and headers[1] == headers[0] + "/2"
    assert records[-1]["type"] == "end" and records[-1]["status"] == "complete"
    assert (run / "results.torn").read_text() == '{"type":"trial","session":\n'

    before = (run / "results.jsonl").read_bytes()
    again = fairwire.call("resume", run)
    assert again.returncode == 0 and "nothing is left" in again.stderr
    assert (run / "results.jsonl").read_bytes() == before


@pytest.mark.parametrize("missing", ["results.jsonl", "plan.json"])
def test_what_is_no_run_folder_is_refused(tmp_path, missing):
    for name in {"results.jsonl", "plan.json", "testbed.json"} - {missing}:
        (tmp_path / name).write_text("")
    result = Fairwire(tmp_path).call("resume", tmp_path)
    assert result.returncode == 2
    assert result.stderr.count("\n") == 1 and f"it has no {missing}" in result.stderr
