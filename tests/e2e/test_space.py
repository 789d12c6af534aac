"""What a tree holds and what it occupies: links and holes, each a line of its own (A13, A15, C26)."""

import json
import os
import subprocess

import pytest

from conftest import FAIRWIRE, Fairwire

MIB = 1 << 20
BLOCK = 4096  # of every file system that the tests meet; a larger one fails loudly
# -H and -S by setting; the du of what landed, by another hand, goes to the tool's own log
TOOL = {
    "schema": 1, "can": ["pull"],
    "version": {"argv": ["rsync", "--version"], "match": "version ([0-9.]+)"},
    "settings": {"links": ["-H"], "holes": ["-S"]},
    "reader": {"pull": ["sh", "-c",
                        'tree=$1; shift; rsync -a "$@" "$tree/" && cd "$tree" && '
                        "find . -type f -print0 | du --block-size=1 --total --files0-from=- | tail -n 1",
                        "sh", "{tree}", "{settings}", "--", "{source}/"]},
}
RECIPES = {
    "three-names": [{"kind": "file", "path": "one", "size": 8 * MIB},
                    {"kind": "hardlink", "path": "two", "target": "one"},
                    {"kind": "hardlink", "path": "three", "target": "one"}],
    "a-hole": [{"kind": "file", "path": "hole", "size": 256 * MIB, "content": "zeros"}],
}
# (case, variant): bytes that landed and what they occupy, in MiB; names whose link was lost; holes lost
EXPECTED = {
    ("three-names", "plain"): (24, 24, 2, 0),
    ("three-names", "plain:links"): (8, 8, 0, 0),
    ("a-hole", "plain"): (256, 256, 0, 1),
    ("a-hole", "plain:holes"): (256, 0, 0, 0),
}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("space"))
    for folder in ("tools", "specs"):
        (fairwire.folder / folder).mkdir()
    for name, keeps in (("plain", ["mtime"]), ("claims", ["mtime", "hard-link", "sparse"])):
        (fairwire.folder / "tools" / f"{name}.json").write_text(
            json.dumps(TOOL | {"name": name, "keeps": keeps}))
    for name, entries in RECIPES.items():
        (fairwire.folder / "specs" / f"{name}.json").write_text(json.dumps(
            {"schema": 2, "name": name, "title": name, "entries": entries}))
    plan = fairwire.folder / "space.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "space", "testbed": "one-machine", "rounds": 1, "controls": [],
        "variants": ["plain", "plain:links", "plain:holes", "claims"], "page": "conformance",
        "cases": [{"name": name, "scenario": "pull", "dataset": name, "wire": "none",
                   "roles": {"writer": "here", "readers": ["here"]}} for name in RECIPES]}))
    return fairwire, fairwire.run(plan)


def trial_of(fairwire, case, variant):
    return next(t for t in fairwire.trials() if (t["case"], t["variant"]) == (case, variant))


def different(verdict, name):
    return next(p["different"] for p in verdict["properties"] if p["name"] == name)


@pytest.mark.parametrize("case, variant", EXPECTED)
def test_the_record_has_what_landed_and_what_it_occupies(run, case, variant):
    fairwire, result = run
    trial = trial_of(fairwire, case, variant)
    (verdict,) = trial["verdicts"]
    landed, occupied, links, holes = EXPECTED[case, variant]
    assert (verdict["content"], verdict["metadata"]) == ("identical", "identical"), result.stderr
    assert verdict["landed_bytes"] == landed * MIB
    assert abs(verdict["landed_allocated_bytes"] - occupied * MIB) <= 3 * BLOCK
    assert (different(verdict, "hard-link"), different(verdict, "sparse")) == (links, holes)
    logs = fairwire.run_folder() / "trials" / f"{trial['trial']:04}" / "here"
    (said,) = [path.read_text() for path in logs.glob("*.out.log")]
    assert verdict["landed_allocated_bytes"] == int(said.split()[0]), "du says something else"


def test_rates_are_of_logical_bytes_of_distinct_inodes(run):
    """C26: 8 MiB with three names are 8 388 608 bytes in 3 files; a hole counts as its size."""
    for case, files, size, occupied in (("three-names", 3, 8 * MIB, 8 * MIB),
                                        ("a-hole", 1, 256 * MIB, 0)):
        trial = trial_of(run[0], case, "plain")
        (verdict,) = trial["verdicts"]
        assert (verdict["wanted_files"], verdict["wanted_bytes"]) == (files, size)
        assert verdict["verified_bytes"] == trial["ops"][0]["bytes"] == size
        assert trial["ops"][0]["files"] == files
        assert abs(verdict["wanted_allocated_bytes"] - occupied) <= BLOCK
    summary = json.loads((run[0].run_folder() / "report" / "summary.json").read_text())
    cell = next(cell for case in summary["cases"] for cell in case["cells"]
                if (case["case"], cell["variant"]) == ("three-names", "plain"))
    assert cell["payload_bytes"] == 8 * MIB and cell["files"] == 3
    assert cell["bytes_per_second"] == pytest.approx(8 * MIB / cell["median_seconds"])


def test_who_claims_links_and_holes_must_keep_them(run):
    for case in RECIPES:
        (verdict,) = trial_of(run[0], case, "claims")["verdicts"]
        assert (verdict["content"], verdict["file_set"], verdict["metadata"]) == \
            ("identical", "identical", "different")
    page = (run[0].run_folder() / "report" / "report.md").read_text()
    rows = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    assert "NOT KEPT" in rows["hard-link"] and "NOT KEPT" in rows["sparse"]


# The two trees of the field, byte for byte; du with the folder, as it was reported there.


def du_kib(folder):
    text = subprocess.run(["du", "-s", "--block-size=1K", folder], capture_output=True, text=True,
                          check=True).stdout
    return int(text.split()[0])


def copied(tmp_path, flags):
    source, copy = tmp_path / "source", tmp_path / f"copy{flags}"
    subprocess.run(["rsync", flags, f"{source}/", f"{copy}/"], check=True, timeout=60)
    subprocess.run([FAIRWIRE, "dataset", "manifest", source, "--out", tmp_path / "m"], check=True)
    result = subprocess.run([FAIRWIRE, "verify", copy, tmp_path / "m"], capture_output=True, text=True)
    kinds = {line.split(":")[0] for line in result.stdout.splitlines()[:-1]}
    return copy, du_kib(copy) - du_kib(tmp_path / "empty"), kinds


def test_three_names_of_one_file(tmp_path):
    for name in ("source", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "source" / "one").write_bytes(os.urandom(8 * MIB))
    for name in ("two", "three"):
        os.link(tmp_path / "source" / "one", tmp_path / "source" / name)
    copy, occupied, kinds = copied(tmp_path, "-a")
    assert (occupied, kinds, os.stat(copy / "one").st_nlink) == (24576, {"hard_link"}, 1)
    copy, occupied, kinds = copied(tmp_path, "-aH")
    assert (occupied, kinds, os.stat(copy / "one").st_nlink) == (8192, set(), 3)


def test_one_byte_in_256_mib(tmp_path):
    for name in ("source", "empty"):
        (tmp_path / name).mkdir()
    with open(tmp_path / "source" / "hole", "wb") as file:
        file.truncate(256 * MIB)
        file.seek(100_000_000)
        file.write(b"x")
    _, occupied, kinds = copied(tmp_path, "-a")
    assert (occupied, kinds) == (262144, {"sparse"})
    _, occupied, kinds = copied(tmp_path, "-aS")
    assert (occupied, kinds) == (4, set())
    entry = json.loads((tmp_path / "m").read_text().splitlines()[1])
    assert (entry["bytes"], entry["local"]["data_bytes"]) == (256 * MIB, 65536)
