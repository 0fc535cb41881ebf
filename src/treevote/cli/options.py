"""Options and arguments that several commands have, and the groups in which ``--help`` lists options."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

INPUT, CHOICE, GUARD, MACHINE, OUTPUT = PANELS = "Input", "Choice", "Guard", "Machine", "Output"
"""Groups of options in ``--help``, in this order: data to read; methods and settings; checks; jobs and repeatability;
results."""

Format = Literal["auto", "conllu", "conllx"]
WeightKind = Literal["equal", "accuracy", "pos"]

Model = Annotated[str, typer.Argument(metavar="MODEL", help="Model folder.", show_default=False)]
Config = Annotated[
    str | None,
    typer.Option("--config", metavar="FILE", help="Settings, as TOML.", show_default=False, rich_help_panel=CHOICE),
]
NJobs = Annotated[
    int,
    typer.Option("--jobs", "-j", help="Jobs at the same time; -1 is one for each core.", rich_help_panel=MACHINE),
]
Backend = Annotated[
    str | None,
    typer.Option(help="joblib backend, such as loky or threading.", show_default=False, rich_help_panel=MACHINE),
]
FileFormat = Annotated[Format, typer.Option(help="Format of the files.", rich_help_panel=INPUT)]
AllFaults = Annotated[
    bool,
    typer.Option(
        "--all-faults", help="Check all files first, and name every fault, not the first one.", rich_help_panel=GUARD
    ),
]
Output = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output.", rich_help_panel=OUTPUT),
]
Support = Annotated[
    bool,
    typer.Option(
        "--support", help="Write the share of the votes for each arc and label into MISC.", rich_help_panel=OUTPUT
    ),
]
Confidence = Annotated[
    bool,
    typer.Option(
        "--confidence",
        help="Write the probability that each arc and label is right into MISC.",
        rich_help_panel=OUTPUT,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.", rich_help_panel=OUTPUT)]


def names(listed: str | None) -> list[str] | None:
    """Return the names of a list with commas.

    Examples
    --------
    >>> names("graph-mira, pipeline"), names(None)
    (['graph-mira', 'pipeline'], None)
    """
    return None if listed is None else [name.strip() for name in listed.split(",")]
