"""Cells: the pieces of work that a study falls into, each independent of all others and done once.

A cell is a function of its *facts*: checksums of its treebanks, the trainer with all its settings, the seed and the
version of treevote. What comes out is written as a small JSON file named by the digest of the facts as soon as it is
there. So an interrupted study goes on where it was, a second run trains nothing, and studies share what they have in
common.
"""

from __future__ import annotations

import contextlib
import dataclasses
import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

import numpy as np

import treevote
from treevote.config import to_mapping
from treevote.errors import InputError, TreevoteError
from treevote.files import writing
from treevote.kernels import Ints
from treevote.parallel import map_parallel
from treevote.protocols import Progress, Trainer
from treevote.store import JSON
from treevote.treebank import Treebank
from treevote.trees import are_trees

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Cell(Protocol[T_co]):
    """A piece of work."""

    @property
    def title(self) -> str:
        """What progress is told under."""
        ...

    @property
    def trainer(self) -> Any:
        """What the work is done with."""
        ...

    def facts(self) -> dict[str, JSON]:
        """Return all that the outcome depends on, but for the version of treevote."""
        ...

    def work(self, progress: Progress | None) -> JSON:
        """Do it."""
        ...

    def outcome(self, result: Any) -> T_co:
        """Make sense of what `work` returned or a file holds.

        Raises
        ------
        KeyError, TypeError, ValueError, OverflowError
            If that is nothing that `work` can have returned.
        """
        ...

    def reduced(self) -> Cell[T_co]:
        """Return the same work on a few sentences, which compiles its kernels."""
        ...


@dataclass(frozen=True, eq=False)
class Parsing:
    """Train a parser, and parse a test set with it.

    Attributes
    ----------
    title : str
    trainer : Trainer
        A dataclass of hyper-parameters.
    training, test : Treebank
        As `alone` returns them.
    seed : int
    """

    title: str
    trainer: Trainer
    training: Treebank
    test: Treebank
    seed: int

    def facts(self) -> dict[str, JSON]:
        """Return what the parse depends on."""
        settings: Any = self.trainer
        return {
            "trainer": {"kind": type(self.trainer).__name__, **to_mapping(settings)},
            "training": checksum(self.training),
            "test": checksum(self.test),
            "seed": self.seed,
        }

    def work(self, progress: Progress | None) -> JSON:
        """Return heads and labels of all tokens of the test set."""
        told = None if progress is None else lambda _, done, total: progress(self.title, done, total)
        parse = self.trainer.train(self.training, seed=self.seed, progress=told).parse(self.test)
        tokens = parse.is_token
        used, deprels = np.unique(parse.deprels[tokens], return_inverse=True)
        return {
            "heads": parse.heads[tokens].tolist(),
            "deprels": deprels.tolist(),
            "labels": [parse.labels[label] for label in used],
        }

    def outcome(self, result: Any) -> Treebank:
        """Return the test set with the parser's trees."""
        heads = column_of(self.test, result["heads"])
        labels = [str(label) for label in result["labels"]]
        parse = self.test.with_trees(heads, column_of(self.test, result["deprels"], len(labels)), labels)
        if not are_trees(parse).all():
            raise ValueError("heads that are no trees")
        return parse

    def reduced(self) -> Parsing:
        """Return the same for two sentences."""
        few = self.training.select(range(min(2, self.training.n_sentences)))
        return dataclasses.replace(self, training=few, test=few)


def run(
    cells: Sequence[Cell[T]],
    folder: Path,
    *,
    n_jobs: int = 1,
    backend: str | None = None,
    progress: Progress | None = None,
) -> list[T]:
    """Return the outcomes of cells: those that lie in a folder are read, the others are worked out and put there.

    Parameters
    ----------
    cells : sequence of Cell
    folder : path
        Made if it is not there. A file in it that is damaged is replaced.
    n_jobs, backend, progress
        As in `treevote.parallel.map_parallel`; the outcomes do not depend on them.

    Raises
    ------
    InputError
        If the folder cannot be written to; else what the work raises.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(
            f"cannot make the folder: {error.strerror or error}", path=str(folder), remedy="name another one"
        ) from error
    tasks = [_Task.of(cell, folder) for cell in cells]
    outcomes: dict[Path, T] = {}
    missing: dict[Path, _Task] = {}
    for task in tasks:
        if (found := task.found()) is not None:
            outcomes[task.path] = found
        else:
            missing[task.path] = task
    if missing:
        _compile([task.cell for task in missing.values()], progress)
    tell = progress or (lambda *_: None)
    done = map_parallel(_work, missing.values(), n_jobs=n_jobs, backend=backend, progress=progress)
    for number, (task, result) in enumerate(zip(missing.values(), done, strict=True), start=1):
        tell("study", number, len(missing))
        outcomes[task.path] = task.cell.outcome(result)
    return [outcomes[task.path] for task in tasks]


def column_of(treebank: Treebank, values: Any, limit: int | None = None) -> Ints:
    """Return numbers of tokens that a file holds as a column, with -1 in ROOT slots.

    Raises
    ------
    TypeError, ValueError, OverflowError
        If they are not as many whole numbers as there are tokens, or not all in ``0..limit - 1``.

    Examples
    --------
    >>> column_of(Treebank.of([(["a", "b"], [2, 0], ["x", "root"])]), [5, 6]).tolist()
    [-1, 5, 6]
    """
    numbers = np.array(values)
    if numbers.shape != (treebank.n_tokens,) or (len(numbers) and numbers.dtype != np.int64):
        raise ValueError("another number of tokens, or no whole numbers")
    if (numbers < 0).any() or (limit is not None and (numbers >= limit).any()):
        raise ValueError("a number out of range")
    column = np.full(len(treebank.tokens), -1, np.int32)
    column[treebank.is_token] = np.minimum(numbers, np.iinfo(np.int32).max)
    return column


def checksum(treebank: Treebank) -> str:
    """Return a checksum of words and trees.

    Examples
    --------
    >>> toy = Treebank.of([(["a"], [0], ["root"])])
    >>> checksum(toy) == checksum(Treebank.of([(["a"], [0], ["root"])], name="other"))
    True
    >>> checksum(toy) == checksum(Treebank.of([(["b"], [0], ["root"])]))
    False
    """
    digest = hashlib.sha256()
    for column in (treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets):
        digest.update(column.tobytes())
    for string in (*("\t".join(word) for word in treebank.words), *treebank.labels):
        digest.update(string.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()


def alone(treebank: Treebank) -> Treebank:
    """Return the same sentences with no words or labels but their own: nothing of what they were selected from.

    Examples
    --------
    >>> toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["top"])])
    >>> part = alone(toy.select([1]))
    >>> [word.form for word in part.words], part.labels
    (['<root>', 'b'], ('top',))
    """
    words, tokens = np.unique(np.append(treebank.tokens, 0), return_inverse=True)  # ROOT always
    has_label = treebank.deprels >= 0
    labels, deprels = np.unique(treebank.deprels[has_label], return_inverse=True)
    column = np.full(len(treebank.deprels), -1, np.int32)
    column[has_label] = deprels
    return dataclasses.replace(
        treebank.only(),
        words=tuple(treebank.words[word] for word in words),
        tokens=tokens[:-1].astype(np.int32),
        labels=tuple(treebank.labels[label] for label in labels),
        deprels=column,
        source=None,
    )


class _Task(NamedTuple):
    """A cell, its facts, and the file of its result."""

    cell: Cell[Any]
    facts: dict[str, JSON]
    path: Path

    @staticmethod
    def of(cell: Cell[Any], folder: Path) -> _Task:
        facts = {"work": type(cell).__name__, "treevote": treevote.__version__, **cell.facts()}
        digest = hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()
        return _Task(cell, facts, folder / f"{digest[:32]}.json")

    def found(self) -> Any:
        """Return the outcome that lies in the file; None if there is none that is whole."""
        try:
            content = json.loads(self.path.read_bytes())
            return self.cell.outcome(content["result"]) if content["cell"] == self.facts else None
        except (OSError, ValueError, TypeError, KeyError, OverflowError, RecursionError):
            return None


def _work(task: _Task, progress: Progress | None = None) -> JSON:
    """Do the work of a cell; keep the result, and return it."""
    result = task.cell.work(progress)
    with writing(task.path) as stream:
        stream.write(json.dumps({"cell": task.facts, "result": result}, separators=(",", ":")).encode())
    return result


def _compile(cells: Sequence[Cell[Any]], progress: Progress | None) -> None:
    """Do each kind of work on a few sentences: kernels are compiled once here, and not by every job."""
    kinds = {repr(cell.trainer): cell for cell in cells}
    tell = progress or (lambda *_: None)
    for number, cell in enumerate(kinds.values()):
        tell("compiling", number, len(kinds))
        with contextlib.suppress(TreevoteError):  # two sentences may be too few to learn from
            cell.reduced().work(None)
    tell("compiling", len(kinds), len(kinds))
