"""`fairwire compare` over records on disk: one line a cell, and the exit code of docs/cli.md."""

import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAIRWIRE = os.environ.get("FAIRWIRE", str(ROOT / "build/dev/fairwire"))


def golden():
    lines = (ROOT / "tests/golden/results.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def make_run(folder, times, rounds=8, change=lambda trial: None, host="Example 7"):
    """A run folder of one case; `times`: seconds of each variant."""
    records = golden()
    header = next(record for record in records if record["type"] == "header")
    model = next(r for r in records if r["type"] == "trial" and not r["control"])
    case = dict(header["cases"][0], name="c", rounds=rounds, variants=list(times))
    header["cases"] = [case]
    header["planned_trials"] = rounds * len(times)
    for machine in header["context"]["machines"]:
        machine["host"]["cpu"]["model"] = host
    out = [header]
    for number in range(rounds):
        for variant, seconds in times.items():
            trial = json.loads(json.dumps(model))
            trial.update(trial=len(out), case="c", variant=variant, round=number + 1)
            trial["ops"][0]["wall_ns"] = int(seconds * 1e9 * (1 + 0.001 * (number * 7 % 5)))
            change(trial)
            out.append(trial)
    out.append(dict(records[-1], trials=len(out) - 1))
    folder.mkdir()
    text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in out)
    (folder / "results.jsonl").write_text(text)
    return folder


def compare(*words):
    return subprocess.run([FAIRWIRE, "compare", *map(str, words)], capture_output=True, text=True,
                          timeout=60, check=False)


@pytest.mark.parametrize("after, code, verdict", [
    (10.1, 0, "same"), (8, 0, "faster"), (12, 1, "slower"), (10.5, 5, "inconclusive")])
def test_two_runs(tmp_path, after, code, verdict):
    answer = compare(make_run(tmp_path / "a", {"v": 10}), make_run(tmp_path / "b", {"v": after}))
    assert answer.returncode == code, answer.stdout + answer.stderr
    assert verdict in answer.stdout


def test_a_paired_gate_and_its_threshold(tmp_path):
    run = make_run(tmp_path / "run", {"v": 10, "w": 11})
    words = [run, "--baseline", "v", "--variant", "w"]
    assert compare(*words).returncode == 1
    assert compare(*words, "--threshold", "20").returncode == 0
    assert compare(run, "--baseline", "w", "--variant", "v").returncode == 0


def test_under_six_rounds_is_inconclusive(tmp_path):
    run = make_run(tmp_path / "run", {"v": 10, "w": 20}, rounds=5)
    answer = compare(run, "--baseline", "v", "--variant", "w")
    assert answer.returncode == 5
    assert "no verdict: under 6 rounds" in answer.stdout


def test_a_mismatch_wins_over_a_regression(tmp_path):
    def spoil(trial):
        if trial["round"] == 8:
            trial["verdict"] = trial["verdicts"][0]["content"] = "different"

    before = make_run(tmp_path / "a", {"v": 10})
    answer = compare(before, make_run(tmp_path / "b", {"v": 20}, change=spoil))
    assert answer.returncode == 3
    assert "slower" in answer.stdout and "1 not counted" in answer.stdout


def test_every_round_contaminated_is_not_measured(tmp_path):
    run = make_run(tmp_path / "run", {"v": 10, "w": 20},
                   change=lambda trial: trial.update(flags=["contaminated"]))
    answer = compare(run, "--baseline", "v", "--variant", "w")
    assert answer.returncode == 4
    assert "every round is contaminated" in answer.stdout


def test_unlike_hosts_are_not_comparable(tmp_path):  # case C20
    before = make_run(tmp_path / "a", {"v": 10})
    answer = compare(before, make_run(tmp_path / "b", {"v": 12.1}, host="Example 8"))
    assert answer.returncode == 4
    assert "not comparable: unlike hosts" in answer.stdout


@pytest.mark.parametrize("words", [
    ["one"], ["--baseline", "v"], ["nowhere", "neither"], ["--plan", "quick", "run"],
    ["--testbed", "x", "a", "b"]])
def test_usage(words):
    answer = compare(*words)
    assert answer.returncode == 2
    assert answer.stderr.startswith("fairwire: ") and answer.stderr.count("\n") == 1


def test_an_unknown_variant_is_named(tmp_path):
    run = make_run(tmp_path / "run", {"v": 10, "w": 20})
    answer = compare(run, "--baseline", "v", "--variant", "nope")
    assert answer.returncode == 2 and '"nope"' in answer.stderr
