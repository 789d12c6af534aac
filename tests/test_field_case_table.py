"""docs/field-cases.md names tests; each must be there under its name."""

import pathlib
import re

ROOT = pathlib.Path(__file__).resolve().parents[1]
ROW = re.compile(r"`(tests/[\w/.]+)`: `([\w.]+)`")


def exists(file, name):
    text = (ROOT / file).read_text(encoding="utf-8")
    if file.endswith(".py"):
        return f"def {name}(" in text
    suite, test = name.split(".")
    return re.search(rf"TEST(_F|_P)?\({suite},\s+{test}\)", text) is not None


def test_every_test_of_the_table_exists():
    table = (ROOT / "docs" / "field-cases.md").read_text(encoding="utf-8")
    rows = ROW.findall(table)
    assert len(rows) >= 45
    assert [row for row in rows if not exists(*row)] == []
    assert not exists("tests/harness/verify_test.cc", "Judge.NeverWritten")
