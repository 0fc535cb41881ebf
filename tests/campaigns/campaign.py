"""A campaign: how its cases are made, what must hold for each, and how a finding is kept."""

from __future__ import annotations

import dataclasses
import json
import random
import traceback
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias, cast, get_args

Kind: TypeAlias = Literal["traceback", "crash", "hang", "lost", "difference"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""An exception that is none of treevote's; a dead process; a case without end; bytes lost; another wrong result."""

Material: TypeAlias = dict[str, bytes]
"""A case: files by name. Settings are JSON under the name ``SETTINGS``."""

SETTINGS = "settings.json"
FACTS = "finding.json"


@dataclass(frozen=True)
class Fault:
    """A violated law of a case: the kind, the law in a few words (equal for equal faults), and the observation."""

    kind: Kind
    law: str
    seen: str


class Campaign(Protocol):
    """Cases without end; `make` draws from the generator alone, `check` looks at the material alone."""

    limit: float
    """Seconds after which a case is a hang."""
    memory: int | None
    """Bytes that a process may take beyond those it began with."""

    def make(self, rng: random.Random) -> Material:
        """Return the material of a case."""
        ...

    def check(self, material: Material) -> list[Fault]:
        """Return the laws that it violates."""
        ...


@dataclass(frozen=True)
class Finding:
    """A fault, and the case that shows it."""

    campaign: str
    seed: int
    case: int
    fault: Fault
    material: Mapping[str, bytes]

    def keep(self, folder: Path) -> Path:
        """Write it as a folder: the observation, and the material of the case beside it."""
        path = folder / str(self.case)
        path.mkdir(parents=True, exist_ok=True)
        facts = {"campaign": self.campaign, "seed": self.seed, "case": self.case, **dataclasses.asdict(self.fault)}
        for name, content in self.material.items():
            (path / name).write_bytes(content)
        (path / FACTS).write_text(json.dumps(facts, indent=1), "utf-8")
        return path


def kept(folder: Path) -> Finding:
    """Read a finding back."""
    facts = json.loads((folder / FACTS).read_text("utf-8"))
    material = {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != FACTS}
    fault = Fault(facts["kind"], facts["law"], facts["seen"])
    return Finding(facts["campaign"], facts["seed"], facts["case"], fault, material)


def generator(seed: int, campaign: str, case: int) -> random.Random:
    """Return the generator of a case: the same wherever and whenever it is run."""
    return random.Random(f"{seed}-{campaign}-{case}")


def faults_of(campaign: Campaign, material: Material) -> list[Fault]:
    """Check a case; an exception that the campaign does not expect is a fault."""
    try:
        return campaign.check(material)
    except Exception as error:
        return [unexpected(error)]


def unexpected(error: BaseException) -> Fault:
    """Return the fault that an exception is; its law names the line of the program that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if "treevote" in Path(frame.filename).parts] or frames
    where = f"{Path(ours[-1].filename).name}, {ours[-1].name}" if ours else "nowhere"
    return Fault("traceback", f"{type(error).__name__} in {where}", "".join(traceback.format_exception(error))[-8000:])


def settings(material: Mapping[str, bytes]) -> dict[str, Any]:
    """Return the settings of a case."""
    return cast("dict[str, Any]", json.loads(material[SETTINGS]))


def with_settings(material: Material, **values: object) -> Material:
    """Return the material with settings."""
    return {**material, SETTINGS: json.dumps(values, sort_keys=True).encode()}
