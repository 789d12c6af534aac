"""The arrows between rooms: every #include from another room must be one that the design allows.

harness may use drivers, datasets and reports; those never use each other; all stand on base;
reference (fairsync) uses base only, so that the judge and the judged share nothing else; python
sees harness/fairwire.h and no more. Heavy headers stay in the files that wall them.
"""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]

ALLOWED = {
    "base": {"base"},
    "datasets": {"datasets", "base"},
    "drivers": {"drivers", "base"},
    "reports": {"reports", "base"},
    "harness": {"harness", "drivers", "datasets", "reports", "base"},
    "reference": {"reference", "base"},
    "python": {"harness"},
}
REASONS = {
    "base": "the floor stands on nothing",
    "datasets": "what is sent knows neither where nor how it is judged",
    "drivers": "drivers reach datasets only through the interface that harness wires up",
    "reports": "what is written down must be readable without machines and trees",
    "reference": "the judge shares no code with the judged but base/",
    "python": "the binding sees the public face only",
}
FLOOR = {"error", "file_descriptor", "clock", "digest", "rng", "json", "temp_dir", "log",
         "json_text"}  # json_text: shared by the files behind json.h
WALLED = {  # a heavy header and the only files that may see it
    "nlohmann/": {"base/json.cc"},
    "CLI/": {"harness/cli.cc", "harness/cli_internal.cc"},
    "pybind11/": {"python/fairwire_module.cc"},
    "zstd.h": {"reference/vault/block.cc"},
    "openssl/": {"base/digest.cc", "drivers/host_probe.cc", "reference/hkdf.cc",
                 "reference/wire/tls.cc", "reference/vault/sealer.cc",
                 "reference/vault/vault_keys.cc"},
    "regex>": set(),
    "boost/": set(),
}
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+[">])', re.MULTILINE)


def sources():
    for room in ALLOWED:
        for path in sorted((ROOT / room).rglob("*")):
            if path.suffix in (".cc", ".h"):
                yield room, path


def includes(path):
    return INCLUDE.findall(path.read_text())


def test_rooms_use_only_the_rooms_they_may():
    wrong = []
    for room, path in sources():
        for header in includes(path):
            target = header.split("/")[0]
            if header.endswith('"') and target in ALLOWED and target not in ALLOWED[room]:
                reason = REASONS.get(room, "")
                wrong.append(f"{path.relative_to(ROOT)} includes {header[:-1]}: {reason}")
    assert not wrong, "\n".join(wrong)


def test_includes_are_written_from_the_root():
    wrong = [
        f"{path.relative_to(ROOT)}: {header[:-1]}"
        for _, path in sources()
        for header in includes(path)
        if header.endswith('"') and not (ROOT / header[:-1]).exists()
    ]
    assert not wrong, "\n".join(wrong)


def test_the_binding_sees_the_public_face_only():
    for path in (ROOT / "python").rglob("*.cc"):
        own = [header[:-1] for header in includes(path) if header.endswith('"')]
        assert own == ["harness/fairwire.h"]


def test_the_floor_is_a_closed_list():
    assert {path.stem for path in (ROOT / "base").glob("*.h")} == FLOOR


def test_heavy_headers_are_walled():
    wrong = [
        f"{path.relative_to(ROOT)}: {header}"
        for _, path in sources()
        for header in includes(path)
        for heavy, allowed in WALLED.items()
        if header.startswith(heavy) and str(path.relative_to(ROOT)) not in allowed
    ]
    assert not wrong, "\n".join(wrong)


def test_interfaces_stand_at_the_root_of_their_folder():
    for interface in ("machine.h", "wire.h", "tool.h"):
        assert (ROOT / "drivers" / interface).exists()
