"""What every end-to-end test needs: the binary, a private run folder, and the records of a run.

Exit 77 or a printed skip reason, never a silent pass, where a host cannot run a test.
"""

import json
import os
import pathlib
import re
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
FAIRWIRE = os.environ.get("FAIRWIRE", str(ROOT / "build" / "dev" / "fairwire"))


class Fairwire:
    """Runs the program and reads what it left behind."""

    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.runs = folder / "runs"

    def call(self, *words, timeout=300, **options) -> subprocess.CompletedProcess:
        return subprocess.run(
            [FAIRWIRE, *map(str, words)], capture_output=True, text=True, timeout=timeout,
            stdin=subprocess.DEVNULL, **options,
        )

    def start(self, *words, **options) -> subprocess.Popen:
        return subprocess.Popen(
            [FAIRWIRE, *map(str, words)], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, **options,
        )

    def run(self, plan, *words, **options) -> subprocess.CompletedProcess:
        return self.call("run", plan, "--runs", self.runs, *words, **options)

    def run_folder(self) -> pathlib.Path:
        return max(self.runs.glob("*/*"), key=lambda path: path.stat().st_mtime_ns)

    def records(self) -> list[dict]:
        text = (self.run_folder() / "results.jsonl").read_text()
        assert text == "" or text.endswith("\n")
        return [json.loads(line) for line in text.splitlines()]

    def trials(self) -> list[dict]:
        return [r for r in self.records() if r["type"] == "trial" and not r["control"]]


def owner_lives(name: str) -> bool:
    """Whether the owner named in a token (PID-STARTTIME) still runs: then nothing is left over."""
    token = re.search(r"(\d+)-(\d+)-", name)
    if not token:
        return False
    try:
        stat = pathlib.Path("/proc", token.group(1), "stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[19] == token.group(2)


def leftovers() -> list[str]:
    """What is left of runs whose owner is gone: control groups, folders, mounts, processes."""
    return [thing for thing in everything() if not owner_lives(thing)]


def everything() -> list[str]:
    found = [str(p) for p in pathlib.Path("/dev/shm").glob("fairwire*")]
    for folder, names, _ in os.walk("/sys/fs/cgroup"):  # unlike glob, it bears what vanishes
        found += [f"{folder}/{name}" for name in names if name.startswith("fairwire")]
    found += [line for line in pathlib.Path("/proc/mounts").read_text().splitlines()
              if "fairwire" in line]
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            environment = (process / "environ").read_bytes()
            command = (process / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if b"FAIRWIRE_TOKEN=" in environment or "fairwire agent" in command or "netns-init" in command:
            token = environment.partition(b"FAIRWIRE_TOKEN=")[2].partition(b"\0")[0].decode()
            found.append(f"{token} process {process.name}: {command}")
    return found


@pytest.fixture
def fairwire(tmp_path) -> Fairwire:
    return Fairwire(tmp_path)


@pytest.fixture
def nothing_left():
    before = leftovers()
    assert not before, f"something was there before the test: {before}"
    yield leftovers
    after = leftovers()
    assert not after, f"left behind: {after}"


needs_root = pytest.mark.skipif(os.geteuid() != 0, reason="namespaces need root")
