"""The golden records against docs/results.schema.json, and what the schema must refuse."""

import copy
import json
import pathlib

import jsonschema
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
SCHEMA = json.loads((ROOT / "docs" / "results.schema.json").read_text(encoding="utf-8"))
LINES = (ROOT / "tests" / "golden" / "results.jsonl").read_text(encoding="utf-8").splitlines()
RECORDS = [json.loads(line) for line in LINES]
TYPES = {"header", "calibration", "trial", "note", "published", "end"}


def schema_of(record):
    """The schema of the record's own type: its messages are shorter than those of oneOf."""
    own = {"$ref": f"#/$defs/{record['type']}", "$defs": SCHEMA["$defs"]}
    return jsonschema.Draft202012Validator(own)


def first(kind):
    return copy.deepcopy(next(record for record in RECORDS if record["type"] == kind))


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def test_the_golden_run_holds_every_type_outcome_and_flag():
    assert {record["type"] for record in RECORDS} == TYPES
    trials = [record for record in RECORDS if record["type"] == "trial"]
    words = SCHEMA["$defs"]["trial"]["properties"]
    assert {trial["outcome"] for trial in trials} == set(words["outcome"]["enum"])
    flags = {flag for trial in trials for flag in trial["flags"]}
    assert flags == set(words["flags"]["items"]["enum"])


@pytest.mark.parametrize("number", range(len(RECORDS)))
def test_every_golden_record_is_valid(number):
    record = RECORDS[number]
    schema_of(record).validate(record)
    jsonschema.Draft202012Validator(SCHEMA).validate(record)


@pytest.mark.parametrize("kind", sorted(TYPES))
def test_the_schema_is_closed(kind):
    for key in first(kind):
        record = first(kind)
        del record[key]
        assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(record), f"without {key}"
    record = first(kind)
    record["extra"] = 1
    assert not jsonschema.Draft202012Validator(SCHEMA).is_valid(record)


@pytest.mark.parametrize(
    "key, value",
    [
        ("round", -1),
        ("round", 1.5),
        ("round", 2**54),
        ("control", "no"),
        ("outcome", "fine"),
        ("verdict", None),
        ("flags", ["odd"]),
        ("dataset_digest", "abc"),
        ("conditions", 3),
    ],
)
def test_values_outside_their_bounds_are_refused(key, value):
    trial = first("trial")
    trial[key] = value
    assert not schema_of(trial).is_valid(trial)


def test_no_sentinel_stands_in_the_file():
    for line in LINES:
        assert ":-1" not in line and "NaN" not in line and "Infinity" not in line
