"""list, connect, idle and a warm index: scenarios that land nothing, or begin before the clock."""

import json
import time

import pytest

from conftest import Fairwire, needs_root


def run_plan(folder, plan, tools=()):
    fairwire = Fairwire(folder)
    (folder / "tools").mkdir()
    for tool in tools:
        (folder / "tools" / f"{tool['name']}.json").write_text(json.dumps(tool))
    (folder / "plan.json").write_text(json.dumps(
        {"schema": 1, "name": "asking", "rounds": 1, "controls": []} | plan))
    return fairwire, fairwire.run(folder / "plan.json")


def by_cell(fairwire):
    return {(t["case"], t["variant"]): t for t in fairwire.trials()}


# Through real tools on a wire.


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    fairwire, result = run_plan(tmp_path_factory.mktemp("asked"), {
        "testbed": "two-rooms", "variants": ["rsync-daemon", "rsync-ssh", "fairsync"],
        "cases": [
            {"name": "list", "scenario": "list", "dataset": "hostile-names", "wire": "fast",
             "variants": ["rsync-daemon", "rsync-ssh"]},
            {"name": "connect", "scenario": "connect", "dataset": "tiny", "wire": "away"},
            {"name": "idle", "scenario": "idle", "dataset": "tiny", "wire": "fast", "idle_s": 2,
             "variants": ["rsync-daemon", "fairsync"]},
            {"name": "counted", "scenario": "pull", "dataset": "small-100", "wire": "fast",
             "variants": ["rsync-daemon", "rsync-daemon:fsync"],
             "conditions": {"count_calls": True}}]})
    return by_cell(fairwire), result, (fairwire.run_folder() / "report" / "report.md").read_text()


@needs_root
def test_all_of_it_is_verified(asked):
    trials, result, _ = asked
    assert result.returncode == 0, result.stdout + result.stderr
    assert {t["verdict"] for t in trials.values()} == {"identical"}
    assert len(trials) == 9


@needs_root
def test_names_with_newlines_are_listed_right(asked):
    for variant in ("rsync-daemon", "rsync-ssh"):
        (verdict,) = asked[0]["list", variant]["verdicts"]
        assert verdict["landed_files"] == verdict["wanted_files"] == verdict["verified_files"] > 20
        (op,) = asked[0]["list", variant]["ops"]
        assert op["files"] == verdict["wanted_entries"] and op["bytes"] == 0
    assert "Per entry" in asked[2]


@needs_root
@pytest.mark.parametrize("variant, round_trips", [("rsync-daemon", 2), ("rsync-ssh", 5),
                                                  ("fairsync", 3)])
def test_ten_connections_take_their_round_trips(asked, variant, round_trips):
    trial = asked[0]["connect", variant]
    assert len(trial["ops"]) == 10
    assert all(op["wall_ns"] > round_trips * 80e6 for op in trial["ops"])
    assert {op["verdict"] for op in trial["ops"]} == {"identical"}


@needs_root
def test_idle_takes_its_time_and_says_what_it_cost(asked):
    for variant in ("rsync-daemon", "fairsync"):
        trial = asked[0]["idle", variant]
        (op,) = trial["ops"]
        assert 2e9 <= op["wall_ns"] < 10e9 and op["bytes"] == 0
        assert all(m["cpu_total_us"] < 1e6 for m in trial["machines"]), "the pull is not in it"
        assert all(m["voluntary_switches"] is not None for m in trial["machines"])
    assert "Wakeups" in asked[2]


@needs_root
def test_fsyncs_are_counted_where_a_case_asks(asked):
    def reader(variant):
        trial = asked[0]["counted", variant]
        return next(m for m in trial["machines"] if m["role"] == "reader"), trial

    plain, trial = reader("rsync-daemon")
    if "calls_not_counted" in trial["conditions"]:
        pytest.skip(trial["conditions"]["calls_not_counted"])
    assert plain["fsyncs"] == 0
    assert reader("rsync-daemon:fsync")[0]["fsyncs"] == 100
    assert reader("rsync-daemon:fsync")[1]["durability"] == "each"
    assert reader("rsync-daemon")[1]["machines"][0]["fsyncs"] == 0
    assert asked[0]["list", "rsync-ssh"]["machines"][0]["fsyncs"] is None
    assert "Fsyncs" in asked[2]


# Tools that lie, on one machine.

SH = ["sh", "-c"]
HEAD = {"schema": 1, "version": {"argv": ["cp", "--version"], "match": "coreutils\\) ([0-9.]+)"},
        "binaries": ["sh"], "notes": "a test"}
HERE = {"wire": "none", "dataset": "tiny", "roles": {"writer": "here", "readers": ["here"]}}
PULL = [*SH, "cp -a \"$1/.\" \"$2/\"", "sh", "{source}", "{tree}"]


def lister(name, script):
    return HEAD | {"name": name, "can": ["list"],
                   "listing": {"match": "^([0-9]+) (.*)$", "end": "nul"},
                   "reader": {"list": [*SH, script, "sh", "{source}"]}}


FIND = "cd \"$1\"; find . -type f ! -name '.*' -printf '%s %P\\0'"


def test_lies_about_names_and_sizes_are_caught(tmp_path):
    tools = [lister("honest-list", FIND),
             lister("one-more", FIND + "; printf '1 never\\0'"),
             lister("one-less", FIND + " | tail -z -n +2"),
             lister("wrong-size", FIND.replace("%s ", "1%s ")),
             lister("nothing", "true")]
    names = [tool["name"] for tool in tools]
    fairwire, result = run_plan(tmp_path, {
        "testbed": "one-machine", "variants": names,
        "cases": [HERE | {"name": "c", "scenario": "list"}]}, tools)
    assert result.returncode == 3
    for name in names:
        trial = by_cell(fairwire)["c", name]
        assert trial["outcome"] == "completed", trial["reason"]
        (verdict,) = trial["verdicts"]
        assert trial["verdict"] == ("identical" if name == "honest-list" else "different"), name
        assert (verdict["missing"] > 0, verdict["extra"] > 0, verdict["different"] > 0) == {
            "honest-list": (False, False, False), "one-more": (False, True, False),
            "one-less": (True, False, False), "wrong-size": (False, False, True),
            "nothing": (True, False, False)}[name]


@needs_root
def test_a_connection_nobody_answered_is_none(tmp_path):
    serve = {"serve": ["/usr/bin/python3", "-m", "http.server", "{port}"],
             "ready": {"tcp": "{port}"}}
    get = ("import socket, sys, time; s = socket.create_connection((sys.argv[1], sys.argv[2])); "
           "s.send(b'GET / HTTP/1.0\\r\\n\\r\\n'); s.recv(1); print('connected', flush=True); "
           "time.sleep(float(sys.argv[3]))")
    mute = "import socket, sys; socket.create_connection((sys.argv[1], sys.argv[2]))"

    def caller(name, script, seconds="0", until=None):
        argv = ["/usr/bin/python3", "-c", script, "{writer}", "{port}", seconds]
        step = {"argv": argv, "until": until} if until else argv
        return HEAD | {"name": name, "can": ["connect"], "writer": serve,
                       "reader": {"connect": step}}

    tools = [caller("calls", get), caller("never-calls", "pass"), caller("never-asks", mute),
             caller("stays", get, "60", {"answered": True}),
             caller("stays-and-says", get, "60", {"output": "^connected"}),
             caller("says-nothing", get, "0", {"output": "ready"})]
    before = time.monotonic()
    fairwire, _ = run_plan(tmp_path, {
        "testbed": "two-rooms", "variants": [tool["name"] for tool in tools],
        "cases": [{"name": "c", "scenario": "connect", "dataset": "tiny", "wire": "fast"}]}, tools)
    assert time.monotonic() - before < 300, "what goes on is stopped"
    trials = by_cell(fairwire)
    got = {tool["name"]: (trials["c", tool["name"]]["outcome"], trials["c", tool["name"]]["verdict"])
           for tool in tools}
    assert got == {"calls": ("completed", "identical"), "never-calls": ("completed", "different"),
                   "never-asks": ("completed", "different"), "stays": ("completed", "identical"),
                   "stays-and-says": ("completed", "identical"),
                   "says-nothing": ("tool_failed", "identical")}
    assert "before it was connected" in trials["c", "says-nothing"]["reason"]
    for name in ("stays", "stays-and-says"):
        assert all(op["wall_ns"] < 30e9 for op in trials["c", name]["ops"])


def test_an_idle_tool_that_changes_the_tree_or_dies_is_caught(tmp_path):
    def idler(name, serve):
        return HEAD | {"name": name, "can": ["pull", "idle"],
                       "reader": {"pull": PULL, "serve": [*SH, serve, "sh", "{tree}"]}}

    tools = [idler("quiet", "exec sleep 60"),
             idler("vandal", "sleep 2; echo x >> \"$(find \"$1\" -type f | head -n 1)\"; sleep 60"),
             idler("mortal", "sleep 1")]
    fairwire, _ = run_plan(tmp_path, {
        "testbed": "one-machine", "variants": [tool["name"] for tool in tools],
        "cases": [HERE | {"name": "c", "scenario": "idle", "idle_s": 3}]}, tools)
    trials = by_cell(fairwire)
    got = {name: (trials["c", name]["outcome"], trials["c", name]["verdict"])
           for name in ("quiet", "vandal", "mortal")}
    assert got == {"quiet": ("completed", "identical"), "vandal": ("completed", "different"),
                   "mortal": ("tool_failed", "identical")}


def test_a_warm_index_is_paid_for_beside_the_time(tmp_path):
    tool = HEAD | {
        "name": "indexer", "can": ["pull"], "keeps": ["mode", "mtime-seconds"],
        "writer": {"index": [[*SH, "sleep 0.3; tar cf \"$2/index\" -C \"$1\" .", "sh", "{source}",
                              "{work}"]]},
        "reader": {"pull": [*SH, "i=\"$3/index\"; if [ ! -e \"$i\" ]; then sleep 0.3; i=\"$2/../i\"; "
                                 "tar cf \"$i\" -C \"$1\" .; fi; tar xpf \"$i\" -C \"$2\"", "sh",
                            "{source}", "{tree}", "{work}/../../writer-1/indexer"]}}
    fairwire, result = run_plan(tmp_path, {
        "testbed": "one-machine", "variants": ["indexer"],
        "cases": [HERE | {"name": index, "scenario": "pull", "conditions": {"index": index}}
                  for index in ("cold", "warm")]}, [tool])
    assert result.returncode == 0, result.stdout + result.stderr
    trials = by_cell(fairwire)
    warm, cold = trials["warm", "indexer"], trials["cold", "indexer"]
    assert warm["ops"][0]["wall_ns"] + 250e6 < cold["ops"][0]["wall_ns"]
    assert sum(m["prepare_wall_ns"] for m in warm["machines"]) > 300e6
    assert sum(m["prepare_wall_ns"] for m in cold["machines"]) == 0
    page = (fairwire.run_folder() / "report" / "report.md").read_text()
    assert page.count("Prepared before") == 1
