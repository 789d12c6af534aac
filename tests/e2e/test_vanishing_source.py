"""A source that changes while it is read, and an operand that never was (field case A21)."""

import json

import pytest

from conftest import Fairwire, needs_root

pytestmark = needs_root

SERVE = ["rsync", "--daemon", "--no-detach", "--config={work}/rsyncd.conf"]
# Once a megabyte has left this machine, the list is with the reader and the big file under way.
VANISH = ('"$@" & daemon=$!; '
          "sent() {{ awk 'NR > 2 && $1 != \"lo:\" {{ sum += $10 }} "
          "END {{ printf \"%d\", sum }}' /proc/net/dev; }}; "
          'while [ "$(sent)" -lt 1000000 ]; do sleep 0.05; done; rm "$source/z-last"; wait $daemon')
URL = "rsync://{writer}:{port}/data/"


def tool(name, serve, operands):
    return {
        "schema": 1, "name": name, "can": ["pull"], "keeps": ["mtime"],
        "version": {"argv": ["rsync", "--version"], "match": "version ([0-9.]+)"},
        "writer": {
            "files": {"{work}/rsyncd.conf": ["port = {port}", "use chroot = no", "uid = root",
                                             "[data]", "path = {source}"]},
            "serve": serve, "ready": {"tcp": "{port}"}},
        "reader": {"pull": ["rsync", "-a", "--", *operands, "{tree}/"]},
    }


TOOLS = [
    tool("vanished", ["sh", "-c", "source=$1; shift; " + VANISH, "sh", "{source}", *SERVE], [URL]),
    tool("mistyped", SERVE, [URL, URL + "nonexist"]),
    tool("plain", SERVE, [URL]),
]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("vanishing"))
    for folder in ("tools", "specs"):
        (fairwire.folder / folder).mkdir()
    for one in TOOLS:
        (fairwire.folder / "tools" / f"{one['name']}.json").write_text(json.dumps(one))
    (fairwire.folder / "specs" / "two.json").write_text(json.dumps({
        "schema": 2, "name": "two", "title": "two",
        "entries": [{"kind": "file", "path": "big", "size": 10_000_000},
                    {"kind": "file", "path": "z-last", "size": 1000}]}))
    plan = fairwire.folder / "vanishing.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "vanishing", "testbed": "two-rooms", "rounds": 1, "controls": [],
        "variants": [one["name"] for one in TOOLS],
        "cases": [{"name": "c", "scenario": "pull", "dataset": "two", "wire": "away"}]}))
    return fairwire, fairwire.run(plan)


@pytest.mark.parametrize("variant, outcome, verdict, code", [
    ("vanished", "source_changed", "unknown", 24),
    ("mistyped", "tool_failed", "identical", 23),  # the others were copied all the same
    ("plain", "completed", "identical", 0),
])
def test_a_vanished_file_is_the_sources_fault_a_mistyped_one_the_tools(run, variant, outcome,
                                                                      verdict, code):
    fairwire, result = run
    trial = next(trial for trial in fairwire.trials() if trial["variant"] == variant)
    (op,) = trial["ops"]
    assert (trial["outcome"], trial["verdict"]) == (outcome, verdict), result.stderr
    assert (op["end"], op["exit_code"]) == ("exited", code), trial["reason"]
    if code:
        assert f"exit code {code}" in trial["reason"]
    assert ("source tree changed" in trial["reason"]) == (outcome == "source_changed")


def test_the_page_calls_them_by_different_names(run):
    page = (run[0].run_folder() / "report" / "report.md").read_text()
    rows = {cells[2].strip(): cells[3].strip(" *") for cells in
            (line.split("|") for line in page.splitlines() if line.startswith("| c |"))
            if len(cells) > 4}
    assert (rows["vanished"], rows["mistyped"]) == ("source changed", "tool failed"), page
