"""Cases from the field that are about the method (docs/field-cases.md), each on a real run."""

import json
import re
import subprocess

from conftest import FAIRWIRE, ROOT, Fairwire, needs_root


def run_plan(folder, plan, tools=()):
    fairwire = Fairwire(folder)
    (folder / "tools").mkdir()
    for tool in tools:
        (folder / "tools" / f"{tool['name']}.json").write_text(json.dumps(tool))
    (folder / "plan.json").write_text(json.dumps(
        {"schema": 1, "name": "cases", "rounds": 1, "controls": []} | plan))
    result = fairwire.run(folder / "plan.json")
    assert result.returncode == 0, result.stdout + result.stderr
    return fairwire


@needs_root
def test_no_tcp_metrics_come_from_an_earlier_trial(tmp_path):
    """C05: machines are fresh, so nothing is known of a peer when a trial begins."""
    tool = json.loads((ROOT / "drivers" / "tools" / "rsync-daemon.json").read_text())
    pull = tool["reader"]["pull"]
    tool["name"] = "telling"
    tool["reader"]["pull"] = ["sh", "-c", 'echo "known: $(ip tcp_metrics show | wc -l)" >&2; "$@"',
                              "sh", *pull]
    fairwire = run_plan(tmp_path, {
        "testbed": "two-rooms", "rounds": 3, "variants": ["telling"],
        "cases": [{"name": "c", "scenario": "pull", "dataset": "small-100", "wire": "away"}]},
        [tool])
    logs = [log.read_text() for log in fairwire.run_folder().glob("trials/*/reader/*.err.log")]
    assert len(logs) == 3
    assert all("known: 0" in log for log in logs), logs


def test_a_control_without_its_other_end_is_no_reading(tmp_path):
    """C10: a closed port is a failure with a reason, and leaves no figure."""
    out = tmp_path / "control.json"
    result = subprocess.run(
        [FAIRWIRE, "pipe", "fetch", "--from", "127.0.0.1", "--port", "1", "--streams", "1",
         "--bytes", "1000", "--ms", "100", "--out", out],
        capture_output=True, text=True, timeout=60)
    assert result.returncode not in (0, 130)
    assert result.stderr.count("\n") == 1 and "127.0.0.1" in result.stderr, result.stderr
    assert not out.exists()


def test_the_state_of_the_caches_is_a_declared_condition(tmp_path):
    """C12: cold is done, or the record says why not; it stands on the page, and every value too."""
    here = {"scenario": "pull", "dataset": "tiny", "wire": "none",
            "roles": {"writer": "here", "readers": ["here"]}}
    fairwire = run_plan(tmp_path, {
        "testbed": "one-machine", "variants": ["cp"], "rounds": 2,
        "cases": [here | {"name": cache, "conditions": {"cache": cache}}
                  for cache in ("cold", "warm")]})
    for trial in fairwire.trials():
        assert trial["conditions"]["cache"] == trial["case"]
        assert ("cache_not_dropped" in trial["conditions"]) == (trial["case"] == "cold")
    page = (fairwire.run_folder() / "report" / "report.md").read_text()
    assert "cache cold" in page and "cache warm" in page
    row = next(line for line in page.splitlines() if line.startswith("| cp | verified"))
    assert len(re.findall(r"\d\.\d+ · \d\.\d+", row)) == 1, "both values, the first one too"


@needs_root
def test_the_wire_says_whether_rsync_sent_a_delta(tmp_path):
    """C27: over a wire it does by default; the other mode is a variant of its own, by name."""
    fairwire = run_plan(tmp_path, {
        "testbed": "two-rooms", "variants": ["rsync-daemon", "rsync-daemon:whole-file"],
        "cases": [{"name": "c", "scenario": "update", "mutation": "insert-one-byte",
                   "dataset": "random-16mib", "wire": "fast"}]})
    size = 16 << 20
    sent = {trial["variant"]: sum(w["bytes"] for w in trial["wires"] if w["from"] == "writer")
            for trial in fairwire.trials()}
    assert sent["rsync-daemon"] < size / 4
    assert sent["rsync-daemon:whole-file"] > size
    assert all(trial["ops"][0]["needed_bytes"] == 1 for trial in fairwire.trials())
