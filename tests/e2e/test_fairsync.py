"""fairsync over loopback with the real binary, judged by sha256sum and stat alone."""

import hashlib
import json
import os
import pathlib
import re
import secrets
import signal
import socket
import stat
import subprocess
import time

import pytest

from conftest import ROOT

FAIRSYNC = os.environ.get("FAIRSYNC", str(ROOT / "build" / "dev" / "fairsync"))
STAGING = ".fairsync-staging"


class Server:
    def __init__(self, folder, key, *words):
        self.process = subprocess.Popen(
            [FAIRSYNC, "serve", "--key", str(key), "--address", "127.0.0.1", "--port", "0", *words,
             "--", str(folder)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)
        line = self.process.stderr.readline().decode()
        self.port = int(re.search(r"port (\d+)", line).group(1))
        self.address = f"127.0.0.1:{self.port}"

    def end(self):
        self.process.kill()
        self.process.wait()
        return self.process.stderr.read().decode()


@pytest.fixture
def key(tmp_path):
    path = tmp_path / "key"
    path.write_text(secrets.token_hex(32) + "\n")
    return path


@pytest.fixture
def serve(key):
    servers = []

    def start(folder, *words):
        servers.append(Server(folder, key, *words))
        return servers[-1]

    yield start
    for server in servers:
        server.end()


def run(*words, code=0, timeout=60):
    result = subprocess.run([FAIRSYNC, *map(str, words)], stdin=subprocess.DEVNULL,
                            capture_output=True, timeout=timeout)
    assert result.returncode == code, result.stderr
    return result.stderr.decode()


def pull(server, target, key, *words, code=0):
    return run("pull", server.address, target, "--key", key, *words, code=code)


def content(path):
    return subprocess.run(["sha256sum", "--", path], capture_output=True, check=True).stdout[:64]


def tree(root):
    """Every entry beneath root by its bytes: what stat and sha256sum say."""
    found = {}
    root = os.fsencode(root)
    for folder, folders, files in os.walk(root):
        for name in folders + files + [b"."]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            about = [stat.S_IFMT(status.st_mode), status.st_mtime_ns]
            if stat.S_ISLNK(status.st_mode):
                about.append(os.readlink(path))
            else:
                about.append(stat.S_IMODE(status.st_mode))
            if stat.S_ISREG(status.st_mode):
                about += [status.st_size, content(path)]
            found[os.path.relpath(path, root)] = about
    return found


def make_sample(root):
    root.mkdir()
    (root / "deep" / "er").mkdir(parents=True)
    (root / "empty").mkdir()
    for size in (0, 1, 5000, (1 << 20) - 1, 1 << 20, (1 << 20) + 1, (4 << 20) - 1, 4 << 20,
                 (4 << 20) + 1, 5_242_880, 20_000_003):
        (root / f"of-{size}").write_bytes(os.urandom(size))
    for i in range(300):
        (root / "deep" / "er" / f"small {i}").write_bytes(os.urandom(i * 31))
    (root / "link").symlink_to("deep/er")
    (root / "dangling").symlink_to("/nowhere/at all")
    os.utime(root / "link", ns=(1, 123_456_789_987_654_321), follow_symlinks=False)
    os.utime(root / "deep", ns=(1, 987_654_321_123_456_789))
    return root


@pytest.fixture
def sample(tmp_path):
    return make_sample(tmp_path / "source")


@pytest.mark.parametrize("words", [(), ("--durable=each",), ("--durable=none",),
                                   ("--connections=1",), ("--connections=16", "--progress")])
def test_a_pull_makes_the_same_tree(sample, serve, key, tmp_path, words):
    server = serve(sample)
    pull(server, tmp_path / "got", key, *words)
    assert tree(tmp_path / "got") == tree(sample)


def test_a_second_pull_moves_almost_nothing(sample, serve, key, tmp_path):
    server = serve(sample)
    counters = tmp_path / "counters.json"
    pull(server, tmp_path / "got", key, "--counters", counters)
    first = json.loads(counters.read_text())
    payload = sum(p.stat().st_size for p in sample.rglob("*") if p.is_file() and not p.is_symlink())
    (source,) = first["sources"]
    assert first["schema"] == 1 and source["path"] == "direct"
    assert source["source"] == server.address
    assert payload < source["bytes"] < 1.02 * payload + 65536
    pull(server, tmp_path / "got", key, "--counters", counters)
    (source,) = json.loads(counters.read_text())["sources"]
    assert source["blocks"] == 0 and source["bytes"] < 65536
    assert tree(tmp_path / "got") == tree(sample)


def test_same_size_and_time_is_not_the_same_content(serve, key, tmp_path):
    source, got = tmp_path / "source", tmp_path / "got"
    for root, text in ((source, "BBBB"), (got, "AAAA")):
        root.mkdir()
        (root / "f").write_text(text)
        os.utime(root / "f", ns=(5, 5))
    pull(serve(source), got, key)
    assert (got / "f").read_text() == "BBBB"


def test_names_are_bytes(serve, key, tmp_path):
    source = os.fsencode(tmp_path / "source")
    os.mkdir(source)
    names = [b"foo\xffbar", "café".encode(), "cafe\u0301".encode(), b"-rf", b"--help", b"-1,0,1.txt",
             b"a" * 253, b"b" * 254, b"c" * 255, "é".encode() * 127 + b"x", b"new\nline", b" ", b"\\"]
    for name in names:
        with open(source + b"/" + name, "wb") as file:
            file.write(b"content of " + name)
    pull(serve(tmp_path / "source"), tmp_path / "got", key)
    assert sorted(os.listdir(os.fsencode(tmp_path / "got"))) == sorted(names)
    assert tree(tmp_path / "got") == tree(tmp_path / "source")


def test_paths_longer_than_path_max(serve, key, tmp_path):
    source = tmp_path / "source"
    source.mkdir()

    def walk_down(root, make):
        at = os.open(root, os.O_RDONLY)
        for i in range(30):
            name = f"{i:03}" + "d" * 197
            if make:
                os.mkdir(name, dir_fd=at)
            below = os.open(name, os.O_RDONLY, dir_fd=at)
            os.close(at)
            at = below
        return at

    at = walk_down(source, True)
    with os.fdopen(os.open("leaf", os.O_CREAT | os.O_WRONLY, dir_fd=at), "w") as file:
        file.write("leaf")
    os.close(at)
    server = serve(source)
    pull(server, tmp_path / "got", key)
    at = walk_down(tmp_path / "got", False)
    with os.fdopen(os.open("leaf", os.O_RDONLY, dir_fd=at)) as file:
        assert file.read() == "leaf"
    os.close(at)
    subprocess.run(["rm", "-rf", str(source / ("000" + "d" * 197))], check=True)
    pull(server, tmp_path / "got", key)
    assert os.listdir(tmp_path / "got") == []


def test_times_before_the_epoch_and_modes(serve, key, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for ns in (-500_000_000, -14_245_440_250_000_000, -1_000_000_000, 1):
        (source / str(ns)).write_text("x")
        os.utime(source / str(ns), ns=(0, ns))
    for mode in (0o4755, 0o2711, 0o1777, 0o000, 0o400):
        (source / oct(mode)).write_text("y")
        (source / oct(mode)).chmod(mode)
    (source / "closed").mkdir()
    (source / "closed" / "f").write_text("z")
    (source / "closed").chmod(0o555)
    pull(serve(source), tmp_path / "got", key)
    assert tree(tmp_path / "got") == tree(source)
    (source / "0o400").chmod(0o640)  # changes neither size nor mtime
    pull(serve(source), tmp_path / "got", key)
    assert tree(tmp_path / "got") == tree(source)


def test_empty_files_and_folders(serve, key, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for i in range(10):
        (source / f"f{i}").touch()
    for i in range(3):
        (source / f"d{i}").mkdir()
    counters = tmp_path / "counters.json"
    pull(serve(source), tmp_path / "got", key, "--counters", counters)
    assert tree(tmp_path / "got") == tree(source)
    assert json.loads(counters.read_text())["sources"][0]["blocks"] == 0


def test_what_is_no_file_is_skipped_and_said(serve, key, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "f").write_text("x")
    os.mkfifo(source / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(source / "sock"))
    said = pull(serve(source), tmp_path / "got", key)
    assert "pipe" in said and "sock" in said
    assert os.listdir(tmp_path / "got") == ["f"]


KINDS = ("file", "folder", "symlink", "nothing")


def put(path, kind, elsewhere):
    if kind == "file":
        path.write_text("a file")
    elif kind == "folder":
        (path / "below").mkdir(parents=True)
        (path / "below" / "f").write_text("in a folder")
        (path / "a").write_text("a name that is also in B")
    elif kind == "symlink":
        path.symlink_to(elsewhere)


@pytest.mark.parametrize("before", KINDS)
@pytest.mark.parametrize("after", KINDS)
def test_every_replacement_converges(serve, key, tmp_path, before, after):
    """A11: dir, file and link for each other, each way; what a link leads to is not touched."""
    source, got = tmp_path / "source", tmp_path / "got"
    for root, kind in ((source, after), (got, before)):
        (root / "B").mkdir(parents=True)
        for name in "ab":
            (root / "B" / name).write_text(name)
        put(root / "A", kind, "B")
    pull(serve(source), got, key)
    found = tree(got)
    assert {k: v[:1] + v[2:] for k, v in found.items()} == \
        {k: v[:1] + v[2:] for k, v in tree(source).items()}
    assert {name: (got / "B" / name).read_text() for name in os.listdir(got / "B")} == \
        {"a": "a", "b": "b"}


def test_deletion_never_goes_through_a_symlink(serve, key, tmp_path):
    """A11, with links that lead out of the tree."""
    source, got, outside = tmp_path / "source", tmp_path / "got", tmp_path / "outside"
    for folder in (source, got, outside):
        folder.mkdir()
    (outside / "canary").write_text("sings")
    (got / "extra").symlink_to(outside)
    (got / "folder").symlink_to(outside)
    (source / "folder").mkdir()
    (source / "folder" / "canary").write_text("another")
    pull(serve(source), got, key)
    assert (outside / "canary").read_text() == "sings"
    assert tree(got) == tree(source)


def test_the_root_may_be_reached_by_a_symlink(sample, serve, key, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "way").symlink_to("real")
    pull(serve(sample), tmp_path / "way", key)
    assert (tmp_path / "way").is_symlink() and tree(tmp_path / "real") == tree(sample)


def wait_for(condition, seconds=20):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.002)


def start_pull(server, target, key, *words):
    return subprocess.Popen(
        [FAIRSYNC, "pull", server.address, str(target), "--key", str(key), *words],
        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE)


@pytest.fixture
def large(tmp_path):
    source = tmp_path / "large"
    source.mkdir()
    for i in range(40):
        (source / f"{i}").write_bytes(os.urandom(5_000_000))
    return source


def test_kill_in_the_middle_and_again(large, serve, key, tmp_path):
    got = tmp_path / "got"
    got.mkdir()
    (got / "not at the source").write_text("a cut listing deletes nothing")
    server = serve(large)
    process = start_pull(server, got, key, "--durable=each")
    wait_for(lambda: len([n for n in os.listdir(got) if n.isdigit()]) >= 10)
    process.kill()
    process.wait()
    landed = [n for n in os.listdir(got) if n.isdigit()]
    assert 10 <= len(landed) < 40, "it was killed too late to tell"
    for name in landed:
        assert content(got / name) == content(large / name)
    counters = tmp_path / "counters.json"
    pull(server, got, key, "--counters", counters)
    assert tree(got) == tree(large)
    (source,) = json.loads(counters.read_text())["sources"]
    assert source["bytes"] < (40 - len(landed)) * 5_000_000 * 1.02 + 65536


def test_a_server_that_goes_away(large, serve, key, tmp_path):
    server = serve(large)
    (tmp_path / "got").mkdir()
    process = start_pull(server, tmp_path / "got", key, "--timeout=3", "--durable=each")
    wait_for(lambda: len(os.listdir(tmp_path / "got")) >= 3)
    server.end()
    assert process.wait(timeout=10) == 1
    assert process.stderr.read()
    assert STAGING not in os.listdir(tmp_path / "got")


def test_a_server_that_falls_silent(large, serve, key, tmp_path):
    server = serve(large)
    (tmp_path / "got").mkdir()
    process = start_pull(server, tmp_path / "got", key, "--timeout=3", "--durable=each")
    wait_for(lambda: len(os.listdir(tmp_path / "got")) >= 3)
    os.kill(server.process.pid, signal.SIGSTOP)
    assert process.wait(timeout=15) == 1
    assert b"in time" in process.stderr.read()


def test_a_file_that_keeps_changing_is_named(serve, key, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    (source / "quiet").write_text("q")
    moving = source / "moving"
    moving.write_bytes(os.urandom(64_000_000))
    server = serve(source)
    process = start_pull(server, tmp_path / "got", key)
    with open(moving, "r+b") as file:
        while process.poll() is None:
            file.seek(0)
            file.write(os.urandom(8))
            file.flush()
            time.sleep(0.001)
    said = process.stderr.read().decode()
    assert process.returncode == 3, said
    assert "moving" in said and "changed" in said
    assert sorted(os.listdir(tmp_path / "got")) == ["quiet"]


def test_a_wrong_key_is_said(sample, serve, key, tmp_path):
    other = tmp_path / "other"
    other.write_text(secrets.token_hex(32))
    said = pull(serve(sample), tmp_path / "got", other, code=1)
    assert "key" in said and not (tmp_path / "got").exists()


def test_push(sample, serve, key, tmp_path):
    target = tmp_path / "target"
    target.mkdir()
    (target / "extra").write_text("goes")
    server = serve(target, "--writable")
    run("push", sample, server.address, "--key", key)
    assert tree(target) == tree(sample)
    (sample / "of-5000").write_text("changed")
    run("push", sample, server.address, "--key", key, "--durable", "each")
    assert tree(target) == tree(sample)


def test_a_push_must_be_allowed(sample, serve, key, tmp_path):
    (tmp_path / "target").mkdir()
    said = run("push", sample, serve(tmp_path / "target").address, "--key", key, code=1)
    assert "writable" in said and os.listdir(tmp_path / "target") == []


def test_many_at_once_and_one_at_a_time(sample, serve, key, tmp_path):
    server = serve(sample)
    pulls = [start_pull(server, tmp_path / f"got{i}", key) for i in range(4)]
    for i, process in enumerate(pulls):
        assert process.wait(timeout=60) == 0, process.stderr.read()
        assert tree(tmp_path / f"got{i}") == tree(sample)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small tmpfs needs root")
def test_a_full_disk(serve, key, tmp_path):
    source, got = tmp_path / "source", tmp_path / "got"
    for folder in (source, got):
        folder.mkdir()
    (source / "f").write_bytes(os.urandom(2 << 20))
    server = serve(source)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(got)], check=True)
    try:
        said = pull(server, got, key, code=1)
        assert "space" in said and os.listdir(got) == []
        subprocess.run(["mount", "-o", "remount,size=8m", str(got)], check=True)
        pull(server, got, key)
        assert content(got / "f") == content(source / "f")
    finally:
        subprocess.run(["umount", str(got)], check=True)


@pytest.mark.parametrize("words", [
    (), ("fetch",), ("pull",), ("pull", "a:1", "b"), ("pull", "nonsense", "b", "--key", "k"),
    ("serve", "a", "--key", "k", "--port", "x"), ("pull", "a:1", "b", "--key", "k", "--nothing"),
    ("push", "a", "b:1", "--key", "k", "--durable", "often")])
def test_usage(words):
    said = run(*words, code=2)
    assert len(said.strip().splitlines()) == 1


def test_a_short_key(tmp_path):
    (tmp_path / "key").write_text("short")
    assert "16 bytes" in run("pull", "127.0.0.1:1", tmp_path / "got", "--key", tmp_path / "key",
                             code=2)


def test_options_end(serve, key, tmp_path):
    source = tmp_path / "-rf"
    source.mkdir()
    (source / "f").write_text("x")
    server = serve(source)
    subprocess.run([FAIRSYNC, "pull", "--key", str(key), "--", server.address, "--help"],
                   cwd=tmp_path, check=True)
    assert hashlib.sha256((tmp_path / "--help" / "f").read_bytes()).hexdigest() == \
        hashlib.sha256(b"x").hexdigest()
