"""What a tool says of itself: read whole, or kept raw and named as unparsable (field case C08)."""

import json

import pytest

from conftest import Fairwire

SOURCE = '{"source": "peer", "path": "direct", "blocks": 1, "bytes": BYTES}'
COLUMN = SOURCE.index("BYTES") + 1
# what stands for the number of bytes, and the first character that cannot be, or the value
SAMPLES = {
    "minus-nan": ("-nan", f"line 2, column {COLUMN + 1}:"),
    "nan": ("nan", f"line 2, column {COLUMN + 1}:"),  # might still have become null
    "python-nan": ("NaN", f"line 2, column {COLUMN}:"),
    "infinity": ("Infinity", f"line 2, column {COLUMN}:"),
    "lost-plus": ("5.924e 06", f"line 2, column {COLUMN + 6}:"),
    "real": ("5.924e+06", "/sources/1/bytes: must be an integer"),
    "negative": ("-1", "/sources/1/bytes: must be from 0"),
    "huge": ("9223372036854775807", "/sources/1/bytes: must be from 0"),
}


def tool(name, text):
    return {
        "schema": 1, "name": name, "can": ["pull"], "keeps": [],
        "version": {"argv": ["cp", "--version"], "match": "coreutils\\) ([0-9.]+)"},
        "reader": {
            "files": {"{work}/said": text.replace("{", "{{").replace("}", "}}").split("\n")},
            "pull": ["sh", "-c", 'cp -a "$1/." "$2/"; cp "$3/said" "$3/counters.json"', "sh",
                     "{source}", "{tree}", "{work}"]},
        "counters": "{work}/counters.json",
    }


def text_with(value):
    # The first source is right: nothing may be left of it when the second is not.
    return ('{"sources": [' + SOURCE.replace("BYTES", "7") + ",\n" +
            SOURCE.replace("BYTES", value) + "]}")


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    fairwire = Fairwire(tmp_path_factory.mktemp("counters"))
    tools, specs = fairwire.folder / "tools", fairwire.folder / "specs"
    tools.mkdir()
    specs.mkdir()
    for name, value in {"good": "8"}.items() | {(k, v) for k, (v, _) in SAMPLES.items()}:
        (tools / f"{name}.json").write_text(json.dumps(tool(name, text_with(value))))
    (specs / "one.json").write_text(json.dumps({
        "schema": 1, "name": "one", "title": "one",
        "groups": [{"prefix": "f-", "count": 1, "size_quantiles": [1000]}]}))
    plan = fairwire.folder / "counters.json"
    plan.write_text(json.dumps({
        "schema": 1, "name": "counters", "testbed": "one-machine", "rounds": 1, "controls": [],
        "variants": ["good", *SAMPLES],
        "cases": [{"name": "c", "scenario": "pull", "dataset": "one", "wire": "none",
                   "roles": {"writer": "here", "readers": ["here"]}}]}))
    return fairwire, fairwire.run(plan)


def trial_of(fairwire, variant):
    return next(trial for trial in fairwire.trials() if trial["variant"] == variant)


def test_good_counters_are_read(run):
    trial = trial_of(run[0], "good")
    assert [source["bytes"] for source in trial["sources"]] == [7, 8], run[1].stderr
    assert trial["unparsable"] == []


@pytest.mark.parametrize("variant", SAMPLES)
def test_what_is_no_number_is_named_kept_and_never_zero(run, variant):
    value, place = SAMPLES[variant]
    fairwire, result = run
    trial = trial_of(fairwire, variant)
    assert (trial["outcome"], trial["verdict"]) == ("completed", "identical")  # of the data itself
    assert trial["sources"] == []
    (said,) = trial["unparsable"]
    assert said.startswith("here: counters.json: ") and place in said, said
    kept = fairwire.run_folder() / "trials" / f"{trial['trial']:04}" / "here" / "counters.txt"
    assert kept.read_text() == text_with(value) + "\n"
    warning = f"Case c, {variant}: its own counters are unparsable in 1 trial"
    assert warning in result.stdout
    assert warning in (fairwire.run_folder() / "report" / "report.md").read_text()


def test_the_run_goes_on(run):
    assert run[1].returncode == 0, run[1].stdout + run[1].stderr
