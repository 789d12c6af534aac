"""`fairwire link` and traces, with real traffic: what the link was told is what the traffic met."""

import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

from conftest import FAIRWIRE, Fairwire, needs_root

pytestmark = needs_root
MEBIBYTE = 1 << 20


def fetched(folder, *options, size=MEBIBYTE):
    """Seconds and agreement of a fetch from the peer to the command, behind a link with `options`."""
    out = folder / "reading.json"
    script = (f"until {FAIRWIRE} pipe fetch --from $FAIRWIRE_PEER --port 7001 --streams 1 "
              f"--bytes {size} --ms 10000 --out {out}; do sleep 0.05; done")
    result = Fairwire(folder).call("link", *options, "--peer", f"{FAIRWIRE} pipe serve --port 7001",
                                   "--", "sh", "-c", script, timeout=120)
    assert result.returncode == 0, result.stderr
    reading = json.loads(out.read_text())
    assert reading["agreed"] and reading["bytes"] == size
    return reading["elapsed_ns"] / 1e9, result.stderr


def test_up_and_down_have_rates_of_their_own(tmp_path, nothing_left):
    least = MEBIBYTE * 8 * 1538 / 1500 / 8e6  # what 8 Mbit/s take for it
    slow, _ = fetched(tmp_path, "--up", "80mbit", "--down", "8mbit", "--rtt", "4ms")
    assert slow > least
    fast, _ = fetched(tmp_path, "--up", "8mbit", "--down", "80mbit", "--rtt", "4ms")
    assert fast < slow / 2
    both, _ = fetched(tmp_path, "--rate", "8mbit")
    assert both > least


def test_bursts_are_lost_and_counted(tmp_path):
    _, said = fetched(tmp_path, "--rate", "80mbit", "--rtt", "4ms", "--burst", "0.01,0.5,1")
    dropped = [line for line in said.splitlines() if line.startswith("fairwire: peer to here")
               or "peer to here" in line]
    assert dropped and not dropped[0].endswith(" 0 dropped")


def test_an_outage_of_a_trace_is_in_the_time(tmp_path):
    trace = tmp_path / "outage.csv"
    trace.write_text("t,rate,delay,loss\n0,0bit,,\n1.5,80mbit,,\n")
    seconds, _ = fetched(tmp_path, "--down-trace", trace, "--rtt", "4ms")
    assert seconds > 1.0


def test_a_made_up_trace_is_followed(tmp_path):
    walk = Fairwire(tmp_path).call("trace", "--seed", 3, "--from", "4mbit", "--to", "8mbit")
    assert walk.stdout == Fairwire(tmp_path).call(
        "trace", "--seed", 3, "--from", "4mbit", "--to", "8mbit").stdout
    trace = tmp_path / "walk.csv"
    trace.write_text(walk.stdout)
    seconds, _ = fetched(tmp_path, "--down-trace", trace, "--repeat", 60, "--rtt", "4ms")
    assert seconds > MEBIBYTE * 8 * 1538 / 1500 / 8e6


ECHO = f"{FAIRWIRE} echo serve --port 7002"


def probe(out, number=20):
    return ["sh", "-c", f"sleep 0.3; {FAIRWIRE} echo probe --to $FAIRWIRE_PEER --port 7002 "
                        f"--number {number} --out {out}"]


def median_ms(out):
    reading = json.loads(out.read_text())
    assert reading["lost"] == 0
    return reading["median_us"] / 1000


def test_links_in_links_add_up(tmp_path, nothing_left):
    out = tmp_path / "echo.json"
    result = Fairwire(tmp_path).call(
        "link", "--rtt", "40ms", "--peer", ECHO, "--", FAIRWIRE, "link", "--rtt", "20ms", "--",
        FAIRWIRE, "link", "--rtt", "10ms", "--nat", "symmetric", "--", *probe(out), timeout=60)
    assert result.returncode == 0, result.stderr
    assert 70 <= median_ms(out) < 80


def test_nobody_is_let_in_from_behind(tmp_path):
    out = tmp_path / "echo.json"
    there = Fairwire(tmp_path).call("link", "--nat", "symmetric", "--peer", ECHO, "--", *probe(out, 5))
    assert there.returncode == 0, there.stderr
    out.unlink()
    hidden = Fairwire(tmp_path).call("link", "--peer-nat", "port-restricted", "--peer", ECHO, "--",
                                     *probe(out, 5), timeout=60)
    assert not out.exists() or json.loads(out.read_text())["lost"] == 5, hidden.stderr


AS_NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def with_open_tun(*argv):
    """The words that run `argv` where everybody may open /dev/net/tun; nothing outside changes."""
    script = ("mount -t tmpfs none /dev/net && mknod -m 666 /dev/net/tun c 10 200 && exec \"$@\"")
    return ["unshare", "-m", "sh", "-c", script, "sh", *map(str, argv)]


@pytest.fixture
def for_all(tmp_path):
    """A folder and a program that another user reaches."""
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        os.chmod(folder, 0o777)
        shutil.copy(FAIRWIRE, folder)
        yield pathlib.Path(folder)


def test_a_link_without_root(tmp_path, for_all, nothing_left):
    own = for_all / "fairwire"
    out = for_all / "echo.json"
    script = (f"id -u >{for_all}/user; sleep 0.3; sleep 47.11 & {own} echo probe --to $FAIRWIRE_PEER "
              f"--port 7002 --number 20 --out {out}")
    result = subprocess.run(
        with_open_tun(*AS_NOBODY, own, "link", "--rtt", "40ms", "--peer", f"{own} echo serve --port 7002",
                      "--", own, "link", "--rtt", "20ms", "--", "sh", "-c", script),
        capture_output=True, text=True, timeout=60)
    if "forbids" in result.stderr or "does not give" in result.stderr:
        pytest.skip(result.stderr.strip())
    assert result.returncode == 0, result.stderr
    assert (for_all / "user").read_text() == "65534\n"
    assert 60 <= median_ms(out) < 70
    left = subprocess.run(["pgrep", "-fx", "sleep 47.11"], capture_output=True, text=True).stdout
    assert left == ""


def test_what_forbids_a_link_is_named(for_all):
    own = for_all / "fairwire"
    closed = ["unshare", "-m", "sh", "-c", "mount -t tmpfs none /dev/net && "
              "mknod -m 600 /dev/net/tun c 10 200 && exec \"$@\"", "sh", *AS_NOBODY, own, "link", "--", "true"]
    result = subprocess.run(list(map(str, closed)), capture_output=True, text=True, timeout=60)
    assert result.returncode == 4
    assert result.stderr.count("\n") == 1 and "chmod 666 /dev/net/tun" in result.stderr, result.stderr
    # The limit of a user namespace of its own: this host's is not touched.
    limited = ["unshare", "-U", "-r", "-m", "sh", "-c",
               "echo 0 >/proc/sys/user/max_user_namespaces && exec \"$@\"", "sh", "unshare", "-U", "true"]
    if subprocess.run(limited, capture_output=True).returncode == 0:
        pytest.skip("this kernel does not limit user namespaces in user namespaces")
    limited = limited[:-3] + ["setpriv", "--bounding-set=-all", "--inh-caps=-all", str(own), "link", "--",
                              "true"]
    result = subprocess.run(with_open_tun(*limited), capture_output=True, text=True, timeout=60)
    assert result.returncode == 4, result.stderr
    assert "user.max_user_namespaces is 0" in result.stderr, result.stderr


def forwarder_of(pid):
    """The pid of a link's forwarder, or None."""
    for child in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split():
        try:
            words = pathlib.Path(f"/proc/{child}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if words[1:2] == [b"forward"]:
            return int(child)
    return None


def test_a_forwarder_killed_at_fifty_moments_leaves_nothing(nothing_left):
    moments = random.Random(5)
    killed = 0
    for _ in range(50):
        link = subprocess.Popen([FAIRWIRE, "link", "--rate", "40mbit", "--rtt", "4ms", "--peer",
                                 f"{FAIRWIRE} pipe serve --port 7001", "--", "sleep", "30"],
                                stderr=subprocess.PIPE, text=True)
        time.sleep(moments.uniform(0.0, 0.25))
        victim = forwarder_of(link.pid)
        if victim is None:  # not there yet, or the link has ended
            link.send_signal(signal.SIGINT)
        else:
            os.kill(victim, signal.SIGKILL)
            killed += 1
        _, said = link.communicate(timeout=20)
        assert link.returncode in ((4,) if victim else (4, 130, -signal.SIGINT)), said
        assert not victim or "forwarder is gone" in said, said
    assert killed >= 25, "the moments fall into the life of the forwarder"


@pytest.mark.parametrize("options, words", [
    (["--rate", "fast"], "is no rate"),
    (["--rate", "8mbit", "--queue", "1000"], "holds no full segment"),
    (["--burst", "2,1"], "shares from 0 to 1"),
    (["--down-trace", "/nowhere/x.csv"], "/nowhere/x.csv"),
])
def test_what_makes_no_link_is_refused_in_one_line(tmp_path, options, words):
    result = Fairwire(tmp_path).call("link", *options, "--", "true")
    assert result.returncode not in (0, 1, 130)
    assert result.stderr.count("\n") == 1 and words in result.stderr, result.stderr


def test_a_trace_in_a_testbed_begins_with_the_timed_part(tmp_path, nothing_left):
    (tmp_path / "outage.csv").write_text("t,rate,delay,loss\n0,80mbit,,\n0.1,0bit,,\n0.9,80mbit,,\n")
    (tmp_path / "rooms.json").write_text(json.dumps({
        "schema": 1, "name": "rooms", "machines": [{"name": "reader", "kind": "netns"},
                                                   {"name": "writer", "kind": "netns"}],
        "wires": [{"name": "broken", "kind": "tun", "paths": [
            {"from": "writer", "to": "reader", "trace": "outage.csv"},
            {"from": "reader", "to": "writer", "delay_ms": 2}]},
            {"name": "whole", "kind": "tun", "paths": [
                {"from": "writer", "to": "reader", "rate": "80mbit"},
                {"from": "reader", "to": "writer", "delay_ms": 2}]}]}))
    (tmp_path / "plan.json").write_text(json.dumps({
        "schema": 1, "name": "traced", "testbed": "rooms.json", "rounds": 1, "controls": [],
        "variants": ["rsync-daemon"],
        "cases": [{"name": wire, "scenario": "pull", "dataset": "random-16mib", "wire": wire}
                  for wire in ("broken", "whole")]}))
    fairwire = Fairwire(tmp_path)
    result = fairwire.call("run", tmp_path / "plan.json", "--testbed", tmp_path / "rooms.json",
                           "--runs", fairwire.runs)
    trials = {trial["case"]: trial for trial in fairwire.trials()}
    assert {t["verdict"] for t in trials.values()} == {"identical"}, result.stdout + result.stderr
    broken, whole = (trials[name]["ops"][0]["wall_ns"] for name in ("broken", "whole"))
    assert broken > whole + 500e6
    assert (fairwire.run_folder() / "traces" / "outage.csv").exists()
