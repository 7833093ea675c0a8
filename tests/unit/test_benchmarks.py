"""Every benchmark still runs, and the frame that they share counts and judges right."""

from __future__ import annotations

import argparse
import ast
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.waiting import WAIT_LIMIT

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"
sys.path.insert(0, str(BENCHMARKS))

from support.command import sizes  # noqa: E402
from support.contender import Sample, timed  # noqa: E402
from support.findings import Findings, number  # noqa: E402
from support.goals import judge  # noqa: E402
from support.markdown import render  # noqa: E402
from support.plot import plot  # noqa: E402
from support.progress import progress_bar  # noqa: E402
from support.race import Race  # noqa: E402
from support.rounds import interleave, median_rate, median_ratio, merged  # noqa: E402

SCRIPTS = sorted(file.name for file in BENCHMARKS.glob("*.py") if file.name != "report.py")


def quick(script: str, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / script), "--quick", *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=WAIT_LIMIT)


@pytest.mark.long("runs every benchmark, if with tiny sizes")
@pytest.mark.parametrize("script", SCRIPTS)
def test_a_quick_run_gives_figures_and_every_judged_goal_holds(script: str) -> None:
    done = quick(script, "--json")
    assert done.returncode == 0, done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["benchmark"] == script.removesuffix(".py")
    assert found["tables"]
    assert all(found["tables"].values())
    verdicts = [goal["verdict"] for goal in found["goals"]]
    assert "holds" in verdicts, "a quick run has to judge something"
    assert set(verdicts) <= {"holds", "not judged in a quick run"}


@pytest.mark.parametrize("script", SCRIPTS)
def test_every_benchmark_explains_itself_in_its_docstring(script: str) -> None:
    assert ast.get_docstring(ast.parse((BENCHMARKS / script).read_text()))


def test_for_people_there_is_one_line_a_goal() -> None:
    done = quick("memory.py")
    lines = [line for line in done.stdout.splitlines() if line.startswith("goal ")]
    assert len(lines) == 2
    assert all(" measured " in line for line in lines)
    assert lines[0].endswith("not judged in a quick run")
    assert lines[1].endswith(" holds")


def test_options_that_do_not_go_together_are_told_in_one_line() -> None:
    done = quick("claims.py", "--processes", "1,4")
    assert done.returncode != 0
    assert "--where ADDRESS" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_goal_that_falls_short_sets_the_exit_status() -> None:
    findings = Findings("example", quick=False)
    findings.speed_goal("speed", "at least 3", "4", True)
    assert findings.status() == 0
    findings.speed_goal("speed", "at least 5", "4", False)
    assert findings.status() == 1
    assert findings.goals[-1].line() == "goal speed at least 5 measured 4 falls short"


def test_a_quick_run_judges_what_is_right_but_no_speed() -> None:
    findings = Findings("example", quick=True)
    findings.speed_goal("speed", "at least 5", "4", False)
    assert findings.status() == 0
    findings.correctness_goal("rows handed out twice", "none", "1", False)
    assert findings.status() == 1


@pytest.mark.parametrize(("text", "counts"), [("20k,100K, 1M", [20_000, 100_000, 1_000_000]), ("7", [7])])
def test_sizes_are_read(text: str, counts: list[int]) -> None:
    assert sizes(text) == counts


@pytest.mark.parametrize("text", ["", "k", "-1", "0", "1.5k", "many"])
def test_a_size_that_is_no_count_is_refused(text: str) -> None:
    with pytest.raises(argparse.ArgumentTypeError, match="is not a count"):
        sizes(text)


def test_figures_are_written_for_people() -> None:
    assert [number(value) for value in (1_234_567, 15_000.4, 12.345, 0.0213, 3)] == [
        "1,234,567", "15,000", "12.3", "0.0213", "3",
    ]  # fmt: skip


def test_rounds_take_turns_and_go_back_and_forth() -> None:
    order: list[str] = []
    cells = {name: lambda: Sample(1, 1.0) for name in "abc"}
    samples = interleave(cells, 2, order.append)
    assert order == ["a", "b", "c", "c", "b", "a"]
    assert all(len(found) == 2 for found in samples.values())


def test_one_disturbed_repetition_moves_no_figure() -> None:
    calm, disturbed = Sample(100, 1.0), Sample(100, 10.0)
    assert median_rate([calm, calm, disturbed]) == 100
    assert median_ratio([calm, disturbed, calm], [Sample(50, 1.0)] * 3) == 2


def test_turns_are_merged_by_their_items_and_seconds() -> None:
    turns = [Sample(10, 1.0), Sample(30, 1.0), Sample(5, 1.0), Sample(0, 4.0)]
    assert merged(turns, 2) == [Sample(40, 2.0), Sample(5, 5.0)]


def test_a_stretch_ends_at_its_number_of_items_and_when_nothing_is_left() -> None:
    assert timed(lambda: 10, seconds=60, items=35).items == 40
    left = [5, 5, 0]
    assert timed(lambda: left.pop(0), seconds=60, items=100).items == 10


class Counting:
    """A contender whose speed is known: it needs `cost` seconds an item."""

    durability = "none"

    def __init__(self, name: str, cost: float, batches: tuple[int, ...]) -> None:
        self.name, self.cost, self.batches = name, cost, batches
        self.left = 0

    def fill(self, items: int) -> None:
        self.left = items

    def run(self, batch: int, seconds: float, items: int) -> Sample:
        assert items <= self.left, "the race must not ask for more than is there"
        self.left -= items
        return Sample(items, items * self.cost / batch)

    def close(self) -> None:
        self.left = 0


def test_the_race_compares_like_with_like() -> None:
    race = Race(seconds=1, turns=2, repetitions=3)
    for rows, cost in ((100, 0.1), (1_000, 0.15)):
        for contender in (Counting("graphvine", cost, (1, 10)), Counting("single", 0.2, (1,))):
            contender.fill(rows)
            race.enter(contender, rows)
    with progress_bar() as bar:
        race.run(bar)
    assert race.rate("graphvine", 100, 10) == pytest.approx(100)
    assert race.rate("single", 100, 10) == pytest.approx(5), "without batches, one by one stands for all"
    assert race.growth("graphvine", 100, 1_000, 10) == pytest.approx(1.5)
    assert race.lead("graphvine", "single", 1_000, 10) == pytest.approx(200 / 15)


def test_the_plot_shows_the_highest_value_of_each_column() -> None:
    drawn = plot([(0, 1), (1, 1), (2, 10), (3, 10)], width=4, height=2, unit="MiB").splitlines()
    assert drawn[0] == "      10 MiB |  ##"
    assert drawn[1] == "       5 MiB |  ##"


def test_the_page_names_command_machine_figures_and_verdicts() -> None:
    findings = Findings("claims", quick=False)
    findings.tables["items per second"] = [{"rows": 1_000_000, "rate": 15_321.5}]
    findings.goals.append(judge("speed", "at least 3", "4 | 5", True))
    page = render(
        [
            (
                "How fast.\n\nDetails.",
                findings.as_json() | {"command": "python benchmarks/claims.py", "machine": {"cores": "2"}},
            )
        ]
    )
    for part in ("## How fast\n", "    python benchmarks/claims.py\n", "cores 2", "| 1,000,000 | 15,322 |", "holds"):
        assert part in page
    assert "4 \\| 5" in page, "a bar in a figure must not break the table"
