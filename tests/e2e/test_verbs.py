"""The verbs that are useful alone: dataset, verify, tools, report, check."""

import subprocess

import pytest

from conftest import needs_root


@pytest.fixture
def tree(fairwire):
    folder = fairwire.folder / "tree"
    assert fairwire.call("dataset", "make", "tiny", folder).returncode == 0
    return folder


def test_the_same_recipe_gives_the_same_bytes(fairwire, tree):
    again = fairwire.folder / "again"
    fairwire.call("dataset", "make", "tiny", again)
    lists = [fairwire.call("dataset", "manifest", folder).stdout for folder in (tree, again)]
    strip = lambda text: [line for line in text.splitlines() if '"end"' not in line]
    assert strip(lists[0]) == strip(lists[1]) and len(lists[0]) > 100
    other = fairwire.folder / "other"
    fairwire.call("dataset", "make", "tiny", other, "--seed", "2")
    assert fairwire.call("dataset", "manifest", other).stdout != lists[0]


def test_verify_against_a_manifest_of_ours(fairwire, tree):
    manifest = fairwire.folder / "manifest"
    assert fairwire.call("dataset", "manifest", tree, "--out", manifest).returncode == 0
    result = fairwire.call("verify", tree, manifest)
    assert result.returncode == 0 and "verified" in result.stdout
    victim = next(path for path in sorted(tree.rglob("*")) if path.is_file() and path.stat().st_size)
    victim.unlink()
    (tree / "new\nname").write_text("x")
    result = fairwire.call("verify", tree, manifest)
    assert result.returncode == 3
    assert f"missing: {victim.relative_to(tree)}" in result.stdout
    assert "extra: new\\x0aname" in result.stdout


def test_verify_against_sha256sum_with_its_escaping(fairwire):
    folder = fairwire.folder / "odd"
    folder.mkdir()
    for name in ("plain", "back\\slash", "new\nline", "-rf", "--help", "b\xe9".encode().decode()):
        (folder / name).write_text(name)
    listing = subprocess.run(
        ["sh", "-c", 'cd "$1" && sha256sum -- ./*', "sh", folder], capture_output=True, check=True
    ).stdout
    for text in (listing, listing.replace(b"\n", b"\r\n")):
        (fairwire.folder / "list").write_bytes(text)
        result = fairwire.call("verify", folder, fairwire.folder / "list")
        assert result.returncode == 0, result.stdout + result.stderr
    assert "CRLF" in result.stderr
    (folder / "plain").write_text("other")
    result = fairwire.call("verify", folder, fairwire.folder / "list")
    assert result.returncode == 3 and "content: plain" in result.stdout


def test_verify_takes_hostile_names_after_two_dashes(fairwire, tree):
    listing = fairwire.folder / "--help"
    fairwire.call("dataset", "manifest", tree, "--out", listing)
    result = fairwire.call("verify", "--", tree, "--help", cwd=fairwire.folder)
    assert result.returncode == 0, result.stderr


def test_tools_and_recipes_are_listed(fairwire):
    for words, expected in ((["tools", "list"], "rsync-daemon"), (["dataset", "list"], "small-1000")):
        result = fairwire.call(*words)
        assert result.returncode == 0 and expected in result.stdout


@needs_root
def test_check_says_what_this_host_can_do(fairwire, nothing_left):
    result = fairwire.call("check", "quick")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "fresh machines" in result.stdout and "tool rsync-daemon" in result.stdout
    assert "plan quick" in result.stdout
