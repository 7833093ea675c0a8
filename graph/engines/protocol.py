"""What an engine is: it runs statements. Timing, events and meaning are added above it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from graphvine.queries import Block, Library
from graphvine.records import Claim, EncodedResult, QueryResult, Row, Step, TableInfo, Unit, UnitResult

if TYPE_CHECKING:
    from graphvine.engines.kuzu.alignment import Alignment

T = TypeVar("T")
# Makes the step that records, in the same transaction, what came of a unit.
SaveResponse = Callable[[UnitResult], Step]


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What may differ between engines, asked and never guessed."""

    # One process owns the store, so that a window in memory knows what comes next.
    single_owner: bool
    # Rows can be loaded from columns in one go.
    bulk_load: bool
    # The store is a file that can be copied while it is held.
    file_backup: bool
    # Tables and columns are declared: a name or a type that is not is refused.
    typed: bool = True
    # This process migrates, aligns and reclaims. False for a connection to the daemon, which does that itself.
    maintains: bool = True
    # The store can't be written: its file or its folder is read-only.
    read_only: bool = False


class Engine(Protocol):
    name: str
    where: str
    dialect: str
    library: Library
    capabilities: Capabilities

    def read(self, block: Block, parameters: Mapping[str, Any]) -> list[Row]:
        """Run a named read."""
        ...

    def write(self, unit: Unit) -> UnitResult:
        """Run a unit in one transaction."""
        ...

    def query(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float | None
    ) -> QueryResult:
        """Run a read that somebody typed. The caller has made sure that it reads."""
        ...

    def execute(
        self, statements: list[str], then: Unit | None = None, parameters: Mapping[str, Any] | None = None
    ) -> QueryResult:
        """Run statements that somebody typed, or a migration, in one transaction with the unit that follows."""
        ...

    def interrupt(self) -> None:
        """End the typed queries that are running."""
        ...

    def bulk_load(self, table: str, columns: Any, progress: Callable[[int], None] | None = None) -> int:
        """Load many rows at once; acknowledged when it returns."""
        ...

    def snapshot(self) -> AbstractContextManager[Callable[[str], Iterator[list[Any]]]]:
        """All of the graph as it is at one moment: inside, a read is run by its text and gives row after row."""
        ...

    def tables(self) -> list[TableInfo]: ...

    def close(self) -> None: ...


class KeepingEngine(Engine, Protocol):
    """An engine that can write a save_response with a unit, so that whoever sent it may ask whether it was done."""

    def write(self, unit: Unit, save_response: SaveResponse | None = None) -> UnitResult: ...


class OwnerEngine(KeepingEngine, Protocol):
    """An engine whose process owns the store (`single_owner`)."""

    def query_isolated(
        self, text: str, parameters: Mapping[str, Any], *, max_rows: int | None, timeout_seconds: float
    ) -> QueryResult:
        """Run a read in a process of its own, with a limit on memory."""
        ...

    @property
    def content(self) -> tuple[int, ...] | None:
        """While it is the same, nothing was written since it was asked for. None: not known."""
        ...

    @property
    def alignment(self) -> Alignment:
        """Whether guard columns have to be aligned with states that were set past the blocks."""
        ...

    def query_encoded(
        self, text: str, parameters: bytes, *, max_rows: int | None, timeout_seconds: float
    ) -> EncodedResult:
        """The same, with parameters, columns and rows as JSON, which that process reads and writes."""
        ...

    def shortage(self) -> str | None:
        """Why no new work is taken, as a sentence; None while there is room on the disk."""
        ...

    def probe(self) -> None:
        """A read, and a turn of the writing thread; raises where the store can't do one of them."""
        ...


class SharedEngine(Engine, Protocol):
    """An engine whose store many processes write to (not `single_owner`, and `maintains`)."""

    def in_turn(self, name: str, work: Callable[[], T]) -> T:
        """Run `work` while nobody else has the turn of this name; all that it reads and writes is one transaction.

        It may be run more than once, each time from the start: what an earlier run wrote is gone then.
        """
        ...


class ServedEngine(Engine, Protocol):
    """An engine that is a line to the process which owns the store (not `maintains`)."""

    migrated: list[str]
    clock: Any

    def claim(
        self, pipeline: str, worker: str, limit: int, states: Collection[str] | None, max_depth: int | None,
        suspects: bool,
    ) -> tuple[list[Claim], bool]: ...  # fmt: skip

    def exchange(
        self, pipeline: str, worker: str, steps: Sequence[Step], limit: int, max_depth: int | None
    ) -> tuple[list[Claim], Collection[int]]: ...

    def next_due(self, pipeline: str, now: int, states: Collection[str] | None) -> int | None: ...

    def forget(self, pipeline: str | None) -> None: ...

    def ask(self, path: str, body: dict[str, Any], *, repeat: bool = True, seconds: float = 900.0) -> Any: ...

    def hurry(self) -> None: ...
