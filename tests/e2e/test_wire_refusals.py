"""Wires that cannot be honoured, and machines behind routers, with real tools."""

import json

from conftest import Fairwire, needs_root

pytestmark = needs_root

ROOMS = {"schema": 1, "name": "rooms", "machines": [
    {"name": "reader", "kind": "netns"}, {"name": "writer", "kind": "netns"},
    {"name": "hidden", "kind": "netns"}]}


def run(folder, wire, cases, variants=("rsync-daemon",)):
    (folder / "rooms.json").write_text(json.dumps(ROOMS | {"wires": [wire]}))
    (folder / "plan.json").write_text(json.dumps({
        "schema": 1, "name": "p", "title": "p", "testbed": str(folder / "rooms.json"), "seed": 1, "rounds": 1,
        "controls": [], "variants": list(variants), "cases": cases}))
    fairwire = Fairwire(folder)
    return fairwire, fairwire.run(folder / "plan.json")


def case(name, **more):
    return {"name": name, "title": name, "scenario": "pull", "dataset": "tiny", "wire": "w"} | more


def test_a_rate_above_what_the_host_carries_is_refused_with_both_figures(tmp_path, nothing_left):
    fairwire, result = run(tmp_path, {"name": "w", "kind": "tun", "access": [
        {"machine": "*", "up": {"rate": "900gbit"}, "down": {"rate": "900gbit"}}]}, [case("c")])
    assert result.returncode == 4
    assert "Gbit/s of payload are declared between" in result.stderr + result.stdout
    assert [r for r in fairwire.records() if r["type"] == "trial"] == []
    calibration = next(r for r in fairwire.records() if r["type"] == "calibration")
    assert calibration["status"] == "not measured" and "this host carries" in calibration["reason"]


def test_behind_a_router_one_can_read_and_nobody_can_read_from_one(tmp_path, nothing_left):
    wire = {"name": "w", "kind": "tun",
            "access": [{"machine": "*", "up": {"rate": "80mbit"}, "down": {"rate": "80mbit"}},
                       {"machine": "reader", "up": {"rate": "80mbit"}, "down": {"rate": "80mbit"},
                        "nat": {"kind": "symmetric", "udp_timeout_s": 30}},
                       {"machine": "hidden", "up": {"rate": "80mbit"}, "down": {"rate": "80mbit"},
                        "nat": {"kind": "port-restricted"}}],
            "paths": [{"from": "*", "to": "*", "delay_ms": 2}]}
    fairwire, result = run(tmp_path, wire, [
        case("from-outside"),
        case("from-inside", roles={"writer": "hidden", "readers": ["reader"]}, deadline_s=3)])
    trials = {r["case"]: r for r in fairwire.records() if r["type"] == "trial"}
    assert trials["from-outside"]["outcome"] == "completed", result.stderr
    assert trials["from-outside"]["verdict"] == "identical"
    assert trials["from-inside"]["outcome"] in ("timed_out", "tool_failed")
    header = next(r for r in fairwire.records() if r["type"] == "header")
    assert '"kind": "symmetric", "udp_timeout_s": 30' in json.dumps(header)
    # Calibrated with the routers in the way, letting everything in.
    assert all(r["status"] == "within bounds" for r in fairwire.records() if r["type"] == "calibration")
