"""Bad input gets one line that names the file, the place and the remedy, and exit code 2."""

import json
import os
import pwd
import shutil

import pytest

from conftest import FAIRWIRE, ROOT, needs_root


def one_line(result, code):
    assert result.returncode == code, result.stderr
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    return lines[0]


@pytest.mark.parametrize(
    "text, place, words",
    [("{", "line 1, column", ""),
     ('{"schema": 1, "schema": 1}', "schema", "twice"),
     ('{"schema": 1, "nmae": "x"}', "/nmae", "unknown key"),
     ('{"schema": 3}', "/schema", "from 1 to 1"),
     ('{"schema": 1, "name": "x", "testbed": "two-rooms", "variants": ["scp"], "cases": '
      '[{"name": "c", "scenario": "pull", "dataset": "nothing", "wire": "fast"}]}',
      "/cases/0/dataset", "there are:"),
     ('{"schema": 1, "name": "x", "testbed": "two-rooms", "variants": ["scp"], "cases": '
      '[{"name": "c", "scenario": "pull", "dataset": "tiny", "wire": "slow"}]}',
      "/cases/0/wire", "no wire"),
     ('{"schema": 1, "name": "x", "testbed": "two-rooms", "variants": ["scq"], "cases": '
      '[{"name": "c", "scenario": "pull", "dataset": "tiny", "wire": "fast"}]}',
      "/cases/0", "there are:"),
     ('{"schema": 1, "name": "x", "testbed": "nowhere", "variants": ["scp"], "cases": '
      '[{"name": "c", "scenario": "pull", "dataset": "tiny", "wire": "fast"}]}',
      "/testbed", "two-rooms")],
)
def test_a_wrong_plan(fairwire, text, place, words):
    plan = fairwire.folder / "plan.json"
    plan.write_text(text)
    line = one_line(fairwire.run(plan), 2)
    assert str(plan) in line and place in line and words in line
    assert not fairwire.runs.exists(), "nothing was touched"


def test_a_wrong_testbed_tool_and_recipe(fairwire):
    bad = fairwire.folder / "testbed.json"
    bad.write_text('{"schema": 1, "name": "t", "machines": [{"name": "a", "kind": "vm"}]}')
    line = one_line(fairwire.run("quick", "--testbed", bad), 2)
    assert str(bad) in line and "/machines/0/kind" in line

    tool = fairwire.folder / "tool.json"
    shipped = json.loads((ROOT / "drivers" / "tools" / "rsync-daemon.json").read_text())
    shipped["reader"]["pull"].append("{nonsense}")
    tool.write_text(json.dumps(shipped))
    line = one_line(fairwire.call("tools", "check", tool), 2)
    assert str(tool) in line and "/reader/pull/" in line and "{nonsense}" in line

    recipe = fairwire.folder / "recipe.json"
    recipe.write_text('{"schema": 1, "name": "r", "title": "r", "groups": [{"count": -1}]}')
    line = one_line(fairwire.call("dataset", "make", recipe, fairwire.folder / "out"), 2)
    assert str(recipe) in line and "/groups/0" in line


def test_words_that_make_no_sense(fairwire):
    for words in ([], ["fly"], ["run"], ["verify", "x"], ["run", "quick", "--rounds"]):
        assert "--help" in one_line(fairwire.call(*words), 2)


def test_what_does_not_exist(fairwire):
    assert "/no/such/plan.json" in one_line(fairwire.run("/no/such/plan.json"), 2)
    listing = fairwire.folder / "list"
    listing.write_text("0" * 64 + "  a\n")
    assert "/no/such/folder" in one_line(fairwire.call("verify", "/no/such/folder", listing), 4)
    assert "list is empty" in one_line(fairwire.call("verify", fairwire.folder, "/dev/null"), 2)


@needs_root
def test_an_ordinary_user_is_told_what_to_type(fairwire):
    user = pwd.getpwnam("nobody")
    binary = fairwire.folder / "fairwire"
    shutil.copy(FAIRWIRE, binary)
    for path in [fairwire.folder, *fairwire.folder.parents]:
        if path.stat().st_uid == 0 and path.stat().st_mode & 0o5 != 0o5 and path != path.parent:
            os.chmod(path, path.stat().st_mode | 0o5)
    runs = fairwire.folder / "nobody"
    runs.mkdir()
    os.chown(runs, user.pw_uid, user.pw_gid)

    import subprocess

    result = subprocess.run(
        [binary, "run", "smoke", "--runs", runs], user=user.pw_uid, group=user.pw_gid,
        capture_output=True, text=True, stdin=subprocess.DEVNULL, cwd="/", timeout=60,
        env={"PATH": os.environ["PATH"], "FAIRWIRE_DATA": str(fairwire.folder / "data")}
        if not os.access(ROOT, os.R_OK) else {"PATH": os.environ["PATH"]},
    )
    assert result.returncode == 4, result.stderr
    assert "root" in result.stderr
