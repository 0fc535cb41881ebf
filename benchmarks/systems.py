"""The systems: how each is trained, and how it parses a file."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

TREEVOTE = (sys.executable, "-m", "treevote")
UDPIPE = (sys.executable, "-m", "benchmarks.udpipe")


@dataclass(frozen=True)
class System:
    """A parser with its model.

    Attributes
    ----------
    name : str
    settings : tuple of str
        Options of ``treevote train``; for UDPipe those of its parser.
    """

    name: str
    settings: tuple[str, ...] = ()

    @property
    def file(self) -> str:
        """Name of its model: ``LR, beam`` is in ``LR-beam``."""
        return self.name.replace(",", "").replace(" ", "-")

    def train(self, train: Path, dev: Path, model: Path) -> list[str]:
        """Return the command that trains it."""
        return [*TREEVOTE, "train", "--train", str(train), "--dev", str(dev), "-o", str(model), *self.settings]

    def parse(self, model: Path, input: Path, output: Path, jobs: int = 1) -> list[str]:
        """Return the command that parses a file."""
        return [*TREEVOTE, "parse", str(model), str(input), "-o", str(output), "-j", str(jobs)]


@dataclass(frozen=True)
class UDPipe(System):
    """UDPipe 1."""

    def train(self, train: Path, dev: Path, model: Path) -> list[str]:
        """Return the command that trains it."""
        options = ["--options", ";".join(self.settings)] if self.settings else []
        return [*UDPIPE, "train", str(train), str(dev), str(model), *options]

    def parse(self, model: Path, input: Path, output: Path, jobs: int = 1) -> list[str]:
        """Return the command that parses a file; it knows one job only."""
        return [*UDPIPE, "parse", str(model), str(input), str(output)]


REFERENCE = "UDPipe 1"
"""The system that speeds are ratios to."""

VOTE = "default vote"
"""The default ensemble: growth, jobs and start-up are measured on it."""


def systems(udpipe: tuple[str, ...] = ()) -> list[System]:
    """Return all systems, the reference first.

    Examples
    --------
    >>> [system.name for system in systems()]
    ['UDPipe 1', 'LR, greedy', 'LR, beam', 'LR, structured', 'pipeline', ...]
    """
    return [
        UDPipe(REFERENCE, udpipe),
        System("LR, greedy", ("--fast",)),
        System("LR, beam", ("--members", "lr-maxent-forward", "--search", "beam")),
        System("LR, structured", ("--members", "lr-structured-forward")),
        System("pipeline", ("--members", "pipeline")),
        System("second-order graph", ("--members", "graph-mira")),
        System(VOTE),
        System("best vote", ("--best",)),
    ]
