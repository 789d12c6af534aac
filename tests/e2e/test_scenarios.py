"""Every scenario with real tools between namespaces, and with tools that lie."""

import json

import pytest

from conftest import ROOT, Fairwire, needs_root

SABOTEURS = ROOT / "tests" / "saboteurs"
HONEST = "honest"
# what it does → outcome and verdict; one that fails does so in the untimed run already
LIARS = {"flip-a-byte": ("completed", "different"), "drop-a-file": ("completed", "different"),
         "add-a-file": ("completed", "different"), "do-nothing": ("completed", "different"),
         "forget-the-mode": ("completed", "different"),
         "write-after-exit": ("completed", "different"),
         "change-the-source": ("source_changed", "unknown"),
         "leave-a-server": ("completed", "identical"),
         "succeed-and-fail": ("tool_failed", None), "die-of-a-signal": ("tool_failed", None)}
AGAIN = ["pull-again", "update", "push", "push-again", "swarm"]

CASES = [
    {"name": "again", "scenario": "pull-again", "dataset": "small-100", "wire": "fast"},
    {"name": "update", "scenario": "update", "dataset": "small-100", "mutation": "append-4k",
     "wire": "fast"},
    {"name": "push", "scenario": "push", "dataset": "small-100", "wire": "fast"},
    {"name": "push-again", "scenario": "push-again", "dataset": "small-100", "wire": "fast"},
    {"name": "swarm", "scenario": "swarm", "dataset": "small-100", "wire": "fast",
     "roles": {"readers": ["reader", "reader-2", "reader-3"]}},
    {"name": "resume", "scenario": "resume", "dataset": "random-16mib", "wire": "office"},
    {"name": "paused", "scenario": "pull", "dataset": "random-16mib", "wire": "office",
     "events": [{"do": "pause", "at": {"ms": 100}}, {"do": "resume", "at": {"ms": 400}}]},
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("scenarios"))
    plan = fairwire.folder / "plan.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "all", "testbed": "four-rooms", "rounds": 1,
        "variants": ["fairsync", "rsync-daemon", "rsync-ssh", "scp"], "cases": CASES}))
    result = fairwire.run(plan)
    return {(t["case"], t["variant"]): t for t in fairwire.trials()}, result


TOOLS = ["fairsync", "rsync-daemon", "rsync-ssh", "scp"]


def late(trial):
    return "invalid" in trial["flags"]


@needs_root
@pytest.mark.parametrize("variant", TOOLS)
@pytest.mark.parametrize("case", [case["name"] for case in CASES])
def test_every_tool_does_it_and_is_verified(run, case, variant):
    trials, result = run
    trial = trials[case, variant]
    if variant == "scp" and case in ("update", "resume"):
        assert trial["outcome"] == "unsupported"
        return
    assert trial["outcome"] == "completed", trial["reason"] + result.stderr
    assert trial["verdict"] == "identical"
    assert all(op["verdict"] == "identical" and op["bytes"] > 0 for op in trial["ops"])


@needs_root
@pytest.mark.parametrize("variant", TOOLS[:3])
def test_what_had_to_move_stands_beside_what_moved(run, variant):
    trials, _ = run

    def there(case):
        return sum(w["bytes"] for w in trials[case, variant]["wires"] if w["from"] == "writer")

    tree = trials["again", variant]["ops"][0]["bytes"]
    assert trials["again", variant]["ops"][0]["needed_bytes"] == 0
    assert there("again") < tree / 4
    assert trials["update", variant]["ops"][0]["needed_bytes"] == 100 * 4096
    assert 100 * 4096 < there("update")
    assert trials["update", variant]["ops"][0]["bytes"] == tree + 100 * 4096
    assert trials["push", variant]["ops"][0]["needed_bytes"] is None
    assert trials["push", variant]["ops"][0]["machine"] == "writer"
    assert there("push") > tree > 4 * there("push-again")


@needs_root
@pytest.mark.parametrize("variant", TOOLS[:3])
def test_a_resumed_pull_was_killed_first(run, variant):
    trial = run[0]["resume", variant]
    assert [event["what"] for event in trial["events"]] == ["kill"]
    assert [op["name"] for op in trial["ops"]] == ["resume"]
    sent = sum(w["bytes"] for w in trial["wires"] if w["from"] == "writer")
    payload = trial["ops"][0]["bytes"]
    assert payload == 16 << 20
    assert payload < sent < 1.8 * payload, "both runs are in the wire's bytes"


@needs_root
@pytest.mark.parametrize("variant", TOOLS)
def test_a_swarm_has_an_op_and_a_verdict_a_reader(run, variant):
    trial = run[0]["swarm", variant]
    assert {op["machine"] for op in trial["ops"]} == {"reader", "reader-2", "reader-3"}
    assert len(trial["verdicts"]) == 3
    starts = [op["start_ns"] for op in trial["ops"]]
    assert max(starts) - min(starts) < min(op["wall_ns"] for op in trial["ops"]), "not at once"


@needs_root
@pytest.mark.parametrize("variant", TOOLS)
def test_a_pause_is_in_the_time(run, variant):
    trial = run[0]["paused", variant]
    assert [event["what"] for event in trial["events"]] == ["pause", "resume"]
    pause = trial["events"][1]["at_ns"] - trial["events"][0]["at_ns"]
    assert pause >= 250_000_000
    assert trial["ops"][0]["wall_ns"] > pause


def for_pushing(tool):
    """The saboteur with the same script as its push."""
    argv = [word.replace("{tree}", "{reader_tree}") for word in tool["reader"]["pull"]]
    return tool | {"push": {"writer": {"push": argv}, "reader": {}},
                   "can": ["pull", *AGAIN]}


@pytest.fixture(scope="module")
def lies(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("lies"))
    (fairwire.folder / "tools").mkdir()
    (fairwire.folder / "specs").mkdir()
    spec = (SABOTEURS / "specs" / "two-files.json").read_text()
    (fairwire.folder / "specs" / "two-files.json").write_text(spec)
    for name in [HONEST, *LIARS]:
        tool = json.loads((SABOTEURS / "tools" / f"{name}.json").read_text())
        (fairwire.folder / "tools" / f"{name}.json").write_text(json.dumps(for_pushing(tool)))
    plan = fairwire.folder / "plan.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "lies", "testbed": "one-machine", "rounds": 1,
        "variants": [HONEST, *LIARS],
        "cases": [{"name": scenario, "scenario": scenario, "dataset": "two-files", "wire": "none",
                   "roles": {"writer": "here", "readers": ["here"]}}
                  | ({"mutation": "append-4k"} if scenario == "update" else {})
                  for scenario in AGAIN]}))
    result = fairwire.run(plan)
    return {(t["case"], t["variant"]): t for t in fairwire.trials()}, result


@pytest.mark.parametrize("scenario", AGAIN)
@pytest.mark.parametrize("variant", [HONEST, *LIARS])
def test_lies_are_caught_in_every_scenario(lies, scenario, variant):
    trials, result = lies
    trial = trials[scenario, variant]
    outcome, verdict = LIARS.get(variant, ("completed", "identical"))
    assert trial["outcome"] == outcome, trial["reason"]
    assert verdict is None or trial["verdict"] == verdict
    flags = {"write-after-exit": {"left_processes", "wrote_after_exit"},
             "leave-a-server": {"left_processes"}}.get(variant, set())
    assert set(trial["flags"]) - {"single_run"} == flags
    assert result.returncode == 3


# The same between namespaces, where a swarm has several readers and a pull can be cut short.

FIRST = 'f="$(find . -type f | sort | head -n 1)"; '
FLIP = FIRST + ('b="$(od -An -tu1 -N1 "$f")"; printf "\\\\$(printf %03o $((255-b)))" | '
                'dd of="$f" bs=1 conv=notrunc status=none')
SPOILERS = {"flips": FLIP, "drops": FIRST + 'rm "$f"', "adds": "touch one-more",
            "forgets-the-mode": FIRST + 'chmod 0755 "$f"',
            "writes-later": f"( sleep 0.5; {FLIP} ) </dev/null >/dev/null 2>&1 &"}


def spoiled(name, script):
    """The rsync daemon, and what comes after it in every reader's tree."""
    tool = json.loads((ROOT / "drivers" / "tools" / "rsync-daemon.json").read_text())
    for scenario in ("pull", "resume"):
        tool["reader"][scenario] = [
            "sh", "-c", 'tree="$1"; shift; "$@" || exit $?; cd "$tree"; ' +
            script.replace("{", "{{").replace("}", "}}"), "sh", "{tree}",
            *tool["reader"][scenario]]
    return tool | {"name": name, "can": ["pull", "swarm", "resume"]}


@pytest.fixture(scope="module")
def spoils(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("spoils"))
    (fairwire.folder / "tools").mkdir()
    for name, script in SPOILERS.items():
        (fairwire.folder / "tools" / f"{name}.json").write_text(json.dumps(spoiled(name, script)))
    plan = fairwire.folder / "plan.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "spoils", "testbed": "four-rooms", "rounds": 1, "controls": [],
        "variants": list(SPOILERS),
        "cases": [{"name": "swarm", "scenario": "swarm", "dataset": "small-100", "wire": "fast",
                   "roles": {"readers": ["reader", "reader-2", "reader-3"]}},
                  {"name": "resume", "scenario": "resume", "dataset": "random-16mib",
                   "wire": "office"}]}))
    result = fairwire.run(plan)
    return {(t["case"], t["variant"]): t for t in fairwire.trials()}, result


@needs_root
@pytest.mark.parametrize("scenario", ["swarm", "resume"])
@pytest.mark.parametrize("variant", SPOILERS)
def test_what_is_spoiled_after_a_swarm_or_a_resume_is_found(spoils, scenario, variant):
    trials, result = spoils
    trial = trials[scenario, variant]
    assert (trial["outcome"], trial["verdict"]) == ("completed", "different"), trial["reason"]
    assert len(trial["verdicts"]) == (3 if scenario == "swarm" else 1)
    assert all(v["content"] == "different" or v["file_set"] == "different" or
               v["metadata"] == "different" for v in trial["verdicts"])
    assert ("wrote_after_exit" in trial["flags"]) == (variant == "writes-later")
    assert result.returncode == 3


# What happens to the wire under a tool.

CHANGES = {
    "link-down": [{"do": "link-down", "at": {"ms": 200}}, {"do": "link-up", "at": {"ms": 700}}],
    "blackhole": [{"do": "blackhole", "from": "writer", "to": "reader", "at": {"ms": 200}},
                  {"do": "restore", "from": "writer", "to": "reader", "at": {"ms": 700}}],
    "slower": [{"do": "set-rate", "machine": "writer", "up": "20mbit", "at": {"ms": 100}}],
    "farther": [{"do": "set-delay", "from": "writer", "to": "reader", "delay_ms": 300,
                 "at": {"ms": 100}}],
}


@needs_root
def test_the_wire_changes_under_a_pull(tmp_path, nothing_left):
    fairwire = Fairwire(tmp_path)
    plan = tmp_path / "plan.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "changes", "testbed": "four-rooms", "rounds": 1, "controls": [],
        "variants": ["rsync-daemon"],
        "cases": [{"name": name, "scenario": "pull", "dataset": "random-16mib", "wire": "office",
                   "events": events} for name, events in ({"plain": []} | CHANGES).items()]
        + [{"name": "open", "scenario": "pull", "dataset": "small-100", "wire": "fast",
            "events": CHANGES["link-down"]}]}))
    result = fairwire.run(plan)
    trials = {trial["case"]: trial for trial in fairwire.trials()}
    assert trials["open"]["outcome"] == "unsupported"
    plain = trials["plain"]["ops"][0]["wall_ns"]
    for name, events in CHANGES.items():
        trial = trials[name]
        assert (trial["outcome"], trial["verdict"]) == ("completed", "identical"), result.stderr
        assert [event["what"] for event in trial["events"]] == [event["do"] for event in events]
        assert trial["ops"][0]["wall_ns"] > plain + 200e6, name
    machines = [event["machine"] for name in ("link-down", "blackhole")
                for event in trials[name]["events"]]
    assert machines == ["reader", "reader", "writer>reader", "writer>reader"]
    lost = {name: sum(w["dropped_packets"] for w in trials[name]["wires"]) for name in trials}
    assert lost["link-down"] > 0 and lost["blackhole"] > 0
