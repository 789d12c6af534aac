#!/usr/bin/env python3
"""Reads a summary.json and fails unless every cell was measured and verified.

Contamination (a control far from its own median) only warns: a shared machine cannot promise more.
"""

import json
import sys


def main(path: str) -> int:
    with open(path, encoding="utf-8") as file:
        summary = json.load(file)
    bad = []
    cells = [(case["case"], cell) for case in summary["cases"] for cell in case["cells"]]
    for case, cell in cells:
        if cell["state"] != "verified":
            reasons = "; ".join(map(str, cell["reasons"]))
            bad.append(f"{case} {cell['variant']}: {cell['state']} {reasons}")
    for line in bad:
        print("not verified:", line, file=sys.stderr)
    print(f"smoke: {len(cells) - len(bad)} passed, {len(bad)} failed")
    return 1 if bad or not cells else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
