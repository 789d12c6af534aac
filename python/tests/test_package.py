"""The package imports from the build folder and tells the version of the build."""

import os
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("FAIRWIRE_BUILD", ROOT / "build" / "dev"))


def sanitizer_preload() -> str:
    """A sanitized module needs its run-time library before the interpreter."""
    listing = subprocess.run(
        ["ldd", next((BUILD / "python" / "fairwire").glob("_fairwire*.so"))],
        capture_output=True, text=True, check=True,
    ).stdout
    return ":".join(re.findall(r"=> (\S*lib(?:asan|tsan)\S*)", listing))


def test_version_is_the_one_of_the_project():
    declared = re.search(r"project\(fairwire VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text())
    environment = dict(
        os.environ, PYTHONPATH=str(BUILD / "python"), LD_PRELOAD=sanitizer_preload(),
        ASAN_OPTIONS="detect_leaks=0",  # the interpreter keeps memory until its end
    )
    code = "import fairwire; print(fairwire.version(), fairwire.__version__)"
    printed = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    ).stdout.split()
    assert printed == [declared.group(1)] * 2
