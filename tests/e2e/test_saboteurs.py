"""Tools that lie: each gets its named outcome, verdict or flag, whatever it printed or returned."""

import pytest

from conftest import ROOT, Fairwire

PLAN = ROOT / "tests" / "saboteurs" / "saboteurs.json"

# variant: (outcome, verdict, flags, words of the reason)
EXPECTED = {
    "honest": ("completed", "identical", set(), ""),
    "flip-a-byte": ("completed", "different", set(), ""),
    "drop-a-file": ("completed", "different", set(), ""),
    "add-a-file": ("completed", "different", set(), ""),
    "keep-an-old-one": ("completed", "different", set(), ""),
    "do-nothing": ("completed", "different", set(), ""),
    "forget-the-mode": ("completed", "different", set(), ""),
    "write-after-exit": ("completed", "different", {"left_processes", "wrote_after_exit"}, ""),
    "hang": ("timed_out", "different", set(), "no progress"),
    "run-for-ever": ("timed_out", "different", set(), "deadline"),
    "leave-a-server": ("completed", "identical", {"left_processes"}, ""),
    "succeed-and-fail": ("tool_failed", "identical", set(), "exit code 7"),
    "die-of-a-signal": ("tool_failed", "identical", set(), "signal 9"),
    "change-the-source": ("source_changed", "unknown", set(), "source tree changed"),
    "not-there": ("unsupported", "unknown", set(), "not installed"),
    "lie-about-counters": ("completed", "identical", set(), ""),
    "never-ready": ("tool_failed", "unknown", set(), "not ready within 1 s"),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("saboteurs"))
    result = fairwire.run(PLAN)
    return fairwire, result


def test_every_saboteur_is_in_the_plan(run):
    assert {trial["variant"] for trial in run[0].trials()} == set(EXPECTED)


@pytest.mark.parametrize("variant", EXPECTED)
def test_saboteur_gets_its_name(run, variant):
    trial = next(t for t in run[0].trials() if t["variant"] == variant)
    outcome, verdict, flags, words = EXPECTED[variant]
    assert (trial["outcome"], trial["verdict"]) == (outcome, verdict), trial["reason"]
    assert set(trial["flags"]) - {"single_run"} == flags
    assert words in (trial["reason"] or "")


@pytest.mark.parametrize(
    "variant, part, count",
    [("flip-a-byte", "different", 1), ("drop-a-file", "missing", 1), ("add-a-file", "extra", 1),
     ("keep-an-old-one", "different", 1), ("do-nothing", "missing", 2),
     ("forget-the-mode", "mode_different", 1)],
)
def test_the_difference_is_counted_and_named(run, variant, part, count):
    trial = next(t for t in run[0].trials() if t["variant"] == variant)
    verdict = trial["verdicts"][0]
    assert verdict[part] == count
    assert verdict["differences"], "the first differences are in the record by name"
    if variant != "forget-the-mode":
        folder = run[0].run_folder() / "trials" / f"{trial['trial']:04}"
        assert list(folder.glob("*/differences.txt"))


def test_a_wrong_time_is_kept_and_branded(run):
    fairwire, result = run
    assert result.returncode == 3, result.stderr
    page = (fairwire.run_folder() / "report" / "index.html").read_text()
    assert "MISMATCH" in page and "MISMATCH" in result.stdout
    trial = next(t for t in fairwire.trials() if t["variant"] == "flip-a-byte")
    assert trial["ops"][0]["wall_ns"] > 0


def test_controls_are_verified_too(run):
    controls = [r for r in run[0].records() if r["type"] == "trial" and r["control"]]
    assert controls and all(c["verdict"] == "identical" and c["ops"][0]["bytes"] > 0 for c in controls)
