"""rclone, driven and judged as every other tool: what it keeps, what it skips, what it can."""

import json
import os
import subprocess

import pytest

from conftest import FAIRWIRE, Fairwire, needs_root


def rclone(*words):
    result = subprocess.run(["rclone", "sync", "--config", "", *map(str, words)],
                            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    return result.returncode, result.stderr


def verify(tmp_path):
    manifest = tmp_path / "manifest"
    subprocess.run([FAIRWIRE, "dataset", "manifest", tmp_path / "source", "--out", manifest],
                   check=True)
    result = subprocess.run([FAIRWIRE, "verify", tmp_path / "copy", manifest], capture_output=True,
                            text=True, timeout=60)
    return result.returncode, result.stdout


@pytest.fixture
def pair(tmp_path):
    source, copy = tmp_path / "source", tmp_path / "copy"
    source.mkdir()
    copy.mkdir()
    return source, copy


@pytest.mark.parametrize("flags, landed", [([], 1), (["--no-unicode-normalization"], 2)])
def test_composed_and_decomposed_are_two_files(pair, tmp_path, flags, landed):
    """A09: by default rclone lands one of two, says so quietly and ends with 0."""
    source, copy = pair
    (source / "caf\u00e9").write_text("composed")
    (source / "cafe\u0301").write_text("decomposed, and longer")
    code, said = rclone(*flags, source, copy)
    assert code == 0 and ("NOTICE" in said) == (landed == 1), said
    assert len(os.listdir(copy)) == landed
    code, text = verify(tmp_path)
    assert f" {2 - landed} missing" in text and (code == 0) == (landed == 2), text


def test_same_size_and_time_is_skipped_wrongly(pair, tmp_path):
    """A26: skipped with exit 0, found by content; --checksum sees it."""
    for folder, content in zip(pair, (b"AAAA", b"BBBB")):
        (folder / "f").write_bytes(content)
        os.utime(folder / "f", ns=(0, 0))
    assert rclone(*pair)[0] == 0
    code, text = verify(tmp_path)
    assert code == 3 and ", 1 different" in text
    assert rclone("--checksum", *pair)[0] == 0
    assert ", 0 different" in verify(tmp_path)[1]


@pytest.mark.parametrize("flags, mode", [([], 0o644), (["-M"], 0o755)])
def test_setuid_bits_are_gone(pair, tmp_path, flags, mode):
    """A31: the content is right, the mode is not, and these are two answers."""
    source, copy = pair
    (source / "bin").write_text("#!/bin/sh\n")
    (source / "bin").chmod(0o4755)
    assert rclone(*flags, source, copy)[0] == 0
    assert (copy / "bin").stat().st_mode & 0o7777 == mode
    code, text = verify(tmp_path)
    assert code == 3 and ", 0 different" in text and f"mode: bin: wanted 4755, landed {mode:04o}" in text
    subprocess.run(["rsync", "-a", f"{source}/", f"{copy}/"], check=True)
    assert (copy / "bin").stat().st_mode & 0o7777 == 0o4755 and verify(tmp_path)[0] == 0


def test_a_fifo_is_left_out_with_a_notice(pair, tmp_path):
    """A16."""
    os.mkfifo(pair[0] / "pipe")
    (pair[0] / "f").write_text("x")
    code, said = rclone(*pair)
    assert code == 0 and "pipe" in said
    code, text = verify(tmp_path)
    assert code == 3 and "missing: pipe" in text


# Through the harness.


def run_plan(folder, plan):
    fairwire = Fairwire(folder)
    (folder / "plan.json").write_text(json.dumps(
        {"schema": 1, "name": "rclone", "rounds": 1, "controls": [], "page": "conformance"} | plan))
    return fairwire, fairwire.run(folder / "plan.json")


def test_the_metadata_column_is_exact_for_each_tool(tmp_path):
    """A31: rclone is not marked as failed for what it never claimed; the grid says "not kept"."""
    (tmp_path / "specs").mkdir()
    (tmp_path / "specs" / "bin.json").write_text(json.dumps({
        "schema": 2, "name": "bin", "title": "bin", "first_mtime_s": 1700000000,
        "entries": [{"kind": "file", "path": "ping", "size": 100, "mode": "4755"},
                    {"kind": "file", "path": "plain", "size": 100, "mode": "0600"}]}))
    fairwire, result = run_plan(tmp_path, {
        "testbed": "one-machine", "variants": ["cp", "rclone", "rclone:no-metadata"],
        "cases": [{"name": "c", "scenario": "pull", "dataset": "bin", "wire": "none",
                   "roles": {"writer": "here", "readers": ["here"]}}]})
    assert result.returncode == 0, result.stdout + result.stderr
    lost = {}
    for trial in fairwire.trials():
        (verdict,) = trial["verdicts"]
        assert (trial["outcome"], trial["verdict"]) == ("completed", "identical")
        lost[trial["variant"]] = {p["name"]: p["different"] for p in verdict["properties"]}["mode"]
    assert lost == {"cp": 0, "rclone": 1, "rclone:no-metadata": 2}
    page = (fairwire.run_folder() / "report" / "report.md").read_text()
    row = next(line for line in page.splitlines() if line.startswith("| mode |"))
    assert row.count("(not kept)") == 2 and "NOT KEPT" not in row


SCENARIOS = ["pull", "pull-again", "update", "push", "push-again", "resume", "swarm"]


@needs_root
def test_it_does_what_it_says_it_can(tmp_path, nothing_left):
    big = {"dataset": "random-16mib", "wire": "office"}
    more = {"update": {"mutation": "delete-a-folder"}, "resume": big,
            "swarm": big | {"roles": {"readers": ["reader", "reader-2"]}}}
    fairwire, result = run_plan(tmp_path, {
        "testbed": "four-rooms", "variants": ["rclone-sftp"],
        "cases": [{"name": name, "scenario": name, "dataset": "small-100", "wire": "fast"} |
                  more.get(name, {}) for name in SCENARIOS]})
    assert result.returncode == 0, result.stdout + result.stderr
    got = {trial["case"]: (trial["outcome"], trial["verdict"]) for trial in fairwire.trials()}
    assert got == {name: ("completed", "identical") for name in SCENARIOS}
    tools = {tool["name"]: tool for tool in fairwire.records()[0]["context"]["tools"]}
    assert tools["rclone-sftp"]["version"].startswith("1.")
