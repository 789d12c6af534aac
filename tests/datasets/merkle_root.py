#!/usr/bin/env python3
"""The Merkle root of a manifest, from docs/manifest.md alone: a second program beside datasets/merkle.cc.

merkle_root.py MANIFEST prints the root of its entries and exits 1 when the closing line says another.
"""

import hashlib
import json
import sys


def sha256(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def leaf(line: bytes) -> bytes:
    entry = json.loads(line)
    entry.pop("local", None)
    text = json.dumps(entry, ensure_ascii=False, separators=(",", ":"))
    return sha256(b"\0" + text.encode())


def root(leaves: list[bytes]) -> bytes:
    """Recursive, as the definition is."""
    if not leaves:
        return sha256(b"")
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\1" + root(leaves[:split]) + root(leaves[split:]))


def main(path: str) -> int:
    with open(path, "rb") as file:
        lines = file.read().split(b"\n")
    assert lines.pop() == b"" and json.loads(lines[0])["fairwire_manifest"] == 2
    found = root([leaf(line) for line in lines[1:-1]]).hex()
    print(found)
    said = json.loads(lines[-1])["root"]
    return 0 if found == said else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
