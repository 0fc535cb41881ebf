"""Options and arguments that several commands have."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

Format = Literal["auto", "conllu", "conllx"]
WeightKind = Literal["equal", "accuracy", "pos"]

Model = Annotated[str, typer.Argument(metavar="MODEL", help="Model folder.", show_default=False)]
NJobs = Annotated[int, typer.Option("--jobs", "-j", help="Jobs at the same time; -1 is one for each core.")]
Backend = Annotated[str | None, typer.Option(help="joblib backend, such as loky or threading.", show_default=False)]
FileFormat = Annotated[Format, typer.Option(help="Format of the files.")]
Output = Annotated[str, typer.Option("--output", "-o", metavar="FILE", help="File to write; - is standard output.")]
Support = Annotated[
    bool, typer.Option("--support", help="Write the share of the votes for each arc and label into MISC.")
]
Confidence = Annotated[
    bool, typer.Option("--confidence", help="Write the probability that each arc and label is right into MISC.")
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON.")]
