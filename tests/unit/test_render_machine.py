"""A machine as people see it: table, Mermaid, JSON; and the fingerprint that tells when it changed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from graphvine.queries import Machine, library
from graphvine.queries.render import as_json, as_mermaid, as_table
from tests.unit.small_machine import changed, loaded, with_changes


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return loaded(tmp_path).machines["task"]


def test_the_table_has_a_row_for_each_transition(machine: Machine) -> None:
    rows = as_table(machine)
    assert [(row["from"], row["to"]) for row in rows] == [
        ("", "waiting"),
        ("waiting", "taken"),
        ("taken", "taken"),
        ("taken", "done"),
        ("taken", "broken"),
        ("waiting", "broken"),
    ]
    assert rows[3] == {
        "from": "taken",
        "to": "done",
        "transition": "reap",
        "block": "finish",
        "manual": "yes",
        "processors": "Barn, Scale",
        "criteria": "Ripe",
        "purpose": "The tasks are done.",
        "beyond": "",
    }
    assert rows[2]["beyond"] == "work takes time."


def test_the_diagram_is_mermaid(machine: Machine) -> None:
    assert as_mermaid(machine) == (
        "stateDiagram-v2\n"
        "    [*] --> waiting : sow\n"
        "    waiting --> taken : pick\n"
        "    taken --> done : reap (Barn + Scale + Ripe) [manual]\n"
        "    taken --> broken : abandon\n"
        "    waiting --> broken : abandon\n"
        "    done --> [*]\n"
        "    broken --> [*]\n"
    )


def test_a_machine_that_nothing_creates_still_has_a_beginning(tmp_path: Path) -> None:
    merge = ("MERGE (t:Task {id: id})\nON CREATE SET", "MATCH (t:Task {id: id})\nSET")
    text = with_changes("// move: -> waiting", "// move: broken -> waiting", *merge)
    assert "\n    [*] --> waiting\n" in as_mermaid(loaded(tmp_path, text).machines["task"])


def test_json_says_everything_and_can_be_written(machine: Machine) -> None:
    drawn = json.loads(json.dumps(as_json(machine)))
    assert (drawn["entity"], drawn["label"], drawn["column"]) == ("task", "Task", "state")
    assert drawn["states"][1] == {
        "name": "taken",
        "initial": False,
        "final": False,
        "claimed": True,
        "beyond": "",
    }
    assert drawn["moves"][0]["source"] is None
    assert drawn["moves"][3]["processors"] == ["Barn", "Scale"]
    assert drawn["fingerprint"] == machine.fingerprint


def test_the_fingerprint_is_a_hash_that_lasts(machine: Machine, tmp_path: Path) -> None:
    again = loaded(tmp_path).machines["task"]
    assert again is not machine
    assert again.fingerprint == machine.fingerprint
    assert len(machine.fingerprint) == 64
    int(machine.fingerprint, 16)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("done! broken!", "broken! done!"),
        ("// transition: pick", "// transition: grab"),
        ("// beyond: work takes time.", "// beyond: work takes long."),
        ("// manual\n", ""),
        ("taken | waiting -> broken", "taken -> broken\n// move: waiting -> taken -> broken"),
    ],
)
def test_the_fingerprint_changes_with_the_machine(machine: Machine, tmp_path: Path, old: str, new: str) -> None:
    assert loaded(tmp_path, changed(old, new)).machines["task"].fingerprint != machine.fingerprint


@pytest.mark.parametrize(
    ("old", "new"),
    [("t.lease = 0 AND", "0 = t.lease AND"), ("// ---- work ----", "// ---- toil ----")],
)
def test_the_fingerprint_does_not_change_with_the_text(machine: Machine, tmp_path: Path, old: str, new: str) -> None:
    assert loaded(tmp_path, changed(old, new)).machines["task"].fingerprint == machine.fingerprint


def test_the_package_s_own_machines_can_be_drawn() -> None:
    for machine in library().machines.values():
        diagram = as_mermaid(machine)
        assert all(state.name in diagram for state in machine.states)
        assert len(as_table(machine)) == len(machine.moves)
        json.dumps(as_json(machine))
