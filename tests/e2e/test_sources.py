"""Where the bytes came from: a tool's own counters held against what the kernel delivered."""

import json

import pytest

from conftest import ROOT, Fairwire, needs_root


def rewritten(name, source):
    """fairsync, with another counters file afterwards."""
    tool = json.loads((ROOT / "drivers" / "tools" / "fairsync.json").read_text())
    pull = tool["reader"]["pull"]
    text = json.dumps({"sources": source}).replace("{", "{{").replace("}", "}}")
    tool["reader"]["pull"] = ["sh", "-c", 'f="$1"; t="$2"; shift 2; "$@" && printf %s "$t" > "$f"',
                              "sh", "{work}/counters.json", text, *pull]
    return tool | {"name": name, "binaries": ["fairsync"], "can": ["pull"]}


@needs_root
def test_counters_that_cannot_be_true_are_flagged(tmp_path):
    def source(size, **more):
        return [{"source": "writer", "path": "direct", "blocks": 1, "bytes": size} | more]

    size = 16 << 20
    tools = {"too-little": source(size // 2), "too-much": source(size + (1 << 20)),
             "right": source(size), "doubled": source(size // 2, duplicate_bytes=size // 2),
             "mostly-local": source(1000) + [
                 {"source": "here", "path": "local", "blocks": 1, "bytes": size}]}
    (tmp_path / "tools").mkdir()
    for name, sources in tools.items():
        (tmp_path / "tools" / f"{name}.json").write_text(json.dumps(rewritten(name, sources)))
    fairwire = Fairwire(tmp_path)
    (tmp_path / "plan.json").write_text(json.dumps({
        "schema": 1, "name": "sources", "testbed": "two-rooms", "rounds": 1, "controls": [],
        "variants": ["fairsync", "rsync-daemon", *tools],
        "cases": [{"name": "c", "scenario": "pull", "dataset": "random-16mib", "wire": "fast"}]}))
    result = fairwire.run(tmp_path / "plan.json")
    assert result.returncode == 0, result.stdout + result.stderr
    trials = {trial["variant"]: trial for trial in fairwire.trials()}
    if trials["fairsync"]["machines"][0]["connections"] is None:
        pytest.skip("this kernel does not tell its connections")
    flagged = {name for name, trial in trials.items() if "sources_disagree" in trial["flags"]}
    assert flagged == {"too-little", "too-much", "mostly-local"}
    page = (fairwire.run_folder() / "report" / "report.md").read_text()
    assert page.count("sources disagree") >= 3
    rows = page[page.index("Where the bytes came from"):].splitlines()
    assert any(row.startswith("| rsync-daemon | reader |") and "the wire" in row for row in rows)
    assert any(row.startswith("| fairsync | reader |") and "counters" in row for row in rows)
