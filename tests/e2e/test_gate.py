"""`fairwire compare --plan`: a plan carried out, two variants decided round by round (docs/method.md).

Real processes on this host, its noise included: what is asserted is which findings and exit codes
may follow from programs whose cost is known, never a time.
"""

import json

import pytest

COPY = 'sleep "$1"; cp -a "$2/." "$3/"'


def tool(name, seconds):
    return {
        "schema": 1, "name": name, "can": ["pull"], "keeps": ["mode", "mtime"],
        "version": {"argv": ["cp", "--version"], "match": "coreutils\\) ([0-9.]+)"},
        "reader": {"pull": ["sh", "-c", COPY, "sh", str(seconds), "{source}", "{tree}"]},
    }


@pytest.fixture
def gate(fairwire):
    """Writes a plan of the tools, and runs the gate over it."""
    for folder in ("tools", "specs"):
        (fairwire.folder / folder).mkdir(exist_ok=True)
    (fairwire.folder / "specs" / "few.json").write_text(json.dumps({
        "schema": 1, "name": "few", "title": "few",
        "groups": [{"prefix": "f-", "count": 3, "size_quantiles": [10000]}]}))

    def run(tools, *words, rounds=6, **more):
        for one in tools:
            (fairwire.folder / "tools" / f"{one['name']}.json").write_text(json.dumps(one))
        plan = fairwire.folder / "gate.json"
        plan.write_text(json.dumps({
            "schema": 1, "name": "gate", "testbed": "one-machine", "rounds": rounds, "controls": [],
            "variants": [one["name"] for one in tools],
            "cases": [{"name": "c", "scenario": "pull", "dataset": "few", "wire": "none",
                       "roles": {"writer": "here", "readers": ["here"]}}]} | more))
        result = fairwire.call("compare", "--plan", plan, "--runs", fairwire.runs, *words)
        return result, sorted(fairwire.runs.glob("gate/*"))

    return run


def orders(folder):
    lines = (folder / "results.jsonl").read_text().splitlines()
    trials = [r for r in map(json.loads, lines) if r["type"] == "trial"]
    return [(t["round"], t["variant"]) for t in sorted(trials, key=lambda t: t["trial"])]


def test_an_honest_tool_is_not_slower_than_itself(gate):
    """The same program under another name. The sleep is most of the time, so that what this host
    does to a copy of some milliseconds cannot reach the threshold."""
    result, runs = gate([tool("before", 0.2), tool("after", 0.2)], "--threshold", "60")
    assert result.returncode in (0, 5), result.stdout + result.stderr
    assert "slower" not in result.stdout.splitlines()[-1] and len(runs) == 1


def test_a_slowed_one_is_slower_in_a_fresh_batch_too(gate):
    result, runs = gate([tool("before", 0.05), tool("after", 0.4)])
    assert result.returncode == 1, result.stdout + result.stderr
    assert "slower" in result.stdout
    assert "carried out once more to confirm it" in result.stdout
    assert len(runs) == 2, "the fresh batch is a run of its own"
    for folder in runs:  # paired: every round has both, in turn
        assert [number for number, _ in orders(folder)] == [n for n in range(1, 7) for _ in "ab"]
        firsts = [variant for _, variant in orders(folder)][::2]
        assert firsts.count("before") == firsts.count("after") == 3


def test_a_faster_one_is_good(gate):
    result, runs = gate([tool("before", 0.4), tool("after", 0.05)])
    assert result.returncode == 0, result.stdout + result.stderr
    assert "faster" in result.stdout and len(runs) == 1


def test_the_baseline_may_be_chosen(gate):
    result, runs = gate([tool("before", 0.4), tool("after", 0.05)],
                        "--baseline", "after", "--variant", "before")
    assert result.returncode == 1 and len(runs) == 2, result.stdout + result.stderr


def test_under_six_rounds_nothing_is_claimed(gate):
    result, _ = gate([tool("before", 0.05), tool("after", 0.4)], rounds=5)
    assert result.returncode == 5, result.stdout + result.stderr
    assert "under 6" in result.stdout and "slower" not in result.stdout


def test_wrong_bytes_outweigh_a_slow_down(gate):
    liar = tool("after", 0.4)
    liar["reader"]["pull"][2] += '; printf X >> "$3/f-0"'
    result, _ = gate([tool("before", 0.05), liar])
    assert result.returncode == 3, result.stdout + result.stderr


def test_a_tool_that_is_not_there_is_not_measured(gate):
    gone = tool("after", 0)
    gone["binaries"] = ["no-such-program"]
    result, _ = gate([tool("before", 0.05), gone])
    assert result.returncode == 4, result.stdout + result.stderr


def test_a_plan_with_one_variant_is_a_wrong_plan(gate):
    result, runs = gate([tool("before", 0)])
    assert result.returncode == 2 and not runs, result.stdout + result.stderr
    assert "gate.json: /cases" in result.stderr and "two variants" in result.stderr


def test_a_host_that_tells_a_program_from_itself_is_unfit(gate, fairwire):
    """Builds with the same paths are an A/A pair, found by itself. Here the host is made to differ
    between them: the program sleeps by a list, in the order that a first run of the plan had."""
    program, state = fairwire.folder / "lucky", fairwire.folder / "sleeps"
    program.write_text(
        '#!/bin/sh\n[ "$1" = --version ] && echo "lucky 1" && exit\n'
        f'next=$(sed -n 1p {state}); sed -i 1d {state}; sleep "${{next:-0.05}}"\n'
        'cp -a "$1/." "$2/"\n')
    program.chmod(0o755)
    state.write_text("")
    pair = {
        "schema": 1, "name": "lucky", "can": ["pull"], "keeps": [],
        "version": {"argv": ["lucky", "--version"], "match": "lucky ([0-9])"},
        "reader": {"pull": ["lucky", "{source}", "{tree}"]},
    }
    plan = {"variants": ["lucky@a", "lucky@b"],
            "builds": {name: {"lucky": str(program)} for name in "ab"}}
    result, runs = gate([pair], "--threshold", "60", **plan)
    assert result.returncode in (0, 5), result.stdout + result.stderr
    header = json.loads((runs[0] / "results.jsonl").read_text().splitlines()[0])
    tools = {tool["name"]: tool for tool in header["context"]["tools"]}
    assert set(tools) == {"lucky@a", "lucky@b"}, "found by its path alone, never in PATH"
    assert tools["lucky@a"]["version"] == "1"
    assert tools["lucky@a"]["binaries"][0]["path"] == str(program)
    sleeps = ["0.4" if variant == "lucky@b" else "0.05" for _, variant in orders(runs[0])]
    state.write_text("\n".join(2 * sleeps) + "\n")
    result, _ = gate([pair], **plan)
    assert result.returncode == 4, result.stdout + result.stderr
    assert "This host calls one program different from itself" in result.stdout
