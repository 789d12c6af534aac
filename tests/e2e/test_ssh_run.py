"""The same plan on ssh hosts: two sshd in network namespaces of this host, reached from a third.

The hosts share this host's file system, which is what makes the test cheap; the harness does not
know, and touches them through ssh and its agent only.
"""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import time

import pytest

from conftest import FAIRWIRE, leftovers, needs_root

pytestmark = [
    needs_root,
    pytest.mark.skipif(not shutil.which("/usr/sbin/sshd"), reason="needs openssh-server"),
]

# A place of its own: network, mounts, an empty /root and a /run for sshd's privilege separation.
SETTLE = ("mount --make-rprivate / && mount -t tmpfs none /run && mkdir /run/sshd && "
          "mount -t tmpfs none /root && ip link set lo up && echo ready && exec sleep 600")


class Place:
    """A network namespace held by one process, which ends with the test."""

    def __init__(self):
        self.holder = subprocess.Popen(
            ["unshare", "-n", "-m", "sh", "-c", SETTLE], stdout=subprocess.PIPE, text=True,
            stdin=subprocess.DEVNULL,
        )
        assert self.holder.stdout.readline() == "ready\n"

    def command(self, *words):
        return ["nsenter", "-t", str(self.holder.pid), "-n", "-m", "--", *map(str, words)]

    def call(self, *words):
        subprocess.run(self.command(*words), check=True, stdin=subprocess.DEVNULL)

    def close(self):
        self.holder.send_signal(signal.SIGKILL)
        self.holder.wait()


def key(path: pathlib.Path) -> pathlib.Path:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", path], check=True)
    return path


class Hosts:
    def __init__(self, folder: pathlib.Path):
        self.folder = folder
        self.control, self.servers = Place(), []
        self.user_key = key(folder / "user")
        self.control.call("ip", "link", "add", "bridge", "type", "bridge")
        self.control.call("ip", "address", "add", "10.99.0.1/24", "dev", "bridge")
        self.control.call("ip", "link", "set", "bridge", "up")
        self.places = {name: self.add(name, number) for number, name in ((2, "reader"), (3, "writer"))}

    def add(self, name: str, number: int) -> Place:
        place = Place()
        self.control.call("ip", "link", "add", name, "type", "veth", "peer", "name", "eth0", "netns",
                          place.holder.pid)
        self.control.call("ip", "link", "set", name, "master", "bridge", "up")
        place.call("ip", "address", "add", f"10.99.0.{number}/24", "dev", "eth0")
        place.call("ip", "link", "set", "eth0", "up")
        host_key = key(self.folder / f"{name}-host")
        config = self.folder / f"{name}.conf"
        config.write_text(
            f"Port 22\nListenAddress 10.99.0.{number}\nHostKey {host_key}\nPidFile none\n"
            f"AuthorizedKeysFile {self.user_key}.pub\nStrictModes no\nUsePAM no\nUseDNS no\n"
            "PasswordAuthentication no\nSubsystem sftp internal-sftp\n"
        )
        self.servers.append(subprocess.Popen(
            place.command("/usr/sbin/sshd", "-D", "-e", "-f", config), stdin=subprocess.DEVNULL,
            stderr=(self.folder / f"{name}.log").open("w"),
        ))
        return place

    def testbed(self) -> pathlib.Path:
        machines = [
            {"name": name, "kind": "ssh", "host": f"10.99.0.{number}", "user": "root",
             "identity_file": str(self.user_key), "address": f"10.99.0.{number}",
             "work_root": str(self.folder / f"work-{name}")}
            for number, name in ((2, "reader"), (3, "writer"))
        ]
        path = self.folder / "testbed.json"
        path.write_text(json.dumps({
            "schema": 1, "name": "hosts", "title": "two hosts over ssh", "machines": machines,
            "wires": [{"name": "fast", "kind": "real", "title": "a bridge"}],
        }))
        return path

    def close(self):
        for server in self.servers:
            server.kill()
            server.wait()
        for place in [*self.places.values(), self.control]:
            place.close()


@pytest.fixture
def hosts(tmp_path):
    made = Hosts(tmp_path)
    time.sleep(0.5)
    yield made
    made.close()


def test_a_shipped_plan_runs_on_ssh_hosts(fairwire, hosts):
    before = leftovers()
    result = subprocess.run(
        hosts.control.command(FAIRWIRE, "run", "smoke", "--runs", fairwire.runs, "--testbed",
                              hosts.testbed()),
        capture_output=True, text=True, timeout=240, stdin=subprocess.DEVNULL,
        env=dict(os.environ, FAIRWIRE_STATIC=os.environ.get("FAIRWIRE_STATIC", FAIRWIRE)),
    )
    assert result.returncode == 0, result.stdout + result.stderr
    trials = fairwire.trials()
    assert len(trials) == 8 and all(t["verdict"] == "identical" for t in trials)
    for trial in trials:
        reader = next(m for m in trial["machines"] if m["machine"] == "reader")
        assert reader["received_bytes"] > trial["ops"][0]["bytes"], "the machine's own counters"
    assert [m["kind"] for m in fairwire.records()[0]["context"]["machines"]] == ["ssh", "ssh"]
    assert leftovers() == before, "the agents took back what they made"
