"""Options and arguments that several commands have, and the groups in which ``--help`` lists options."""

from __future__ import annotations

import functools
import os
import shlex
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from treevote.errors import ConfigError

if TYPE_CHECKING:
    from treevote.parallel import Jobs

PANELS = ("Input", "Method", "Checks", "Machine", "Output")
"""Groups of options in ``--help``, in this order: data to read; methods and settings; checks; jobs and repeatability;
results."""


def _outside_of_models(path: str | None) -> str | None:
    """Return the name of a file to write; ModelError if it is in a model, which holds nothing else."""
    if path is not None:
        from treevote.files.streams import is_stream
        from treevote.store.folder import check_folder

        if not is_stream(path):
            check_folder(path)
    return path


input, choice, guard, machine, output = (functools.partial(typer.Option, rich_help_panel=title) for title in PANELS)
file = functools.partial(input, metavar="<FILE>")
written = functools.partial(output, metavar="<FILE>", callback=_outside_of_models)
members = functools.partial(choice, metavar="<A,B,...>")
number = functools.partial(choice, metavar="<N>", min=1)


def argument(metavar: str, help: str) -> Any:
    """Return an argument by its name in ``--help``, and its meaning."""
    return typer.Argument(metavar=metavar, help=help)


Format = Literal["auto", "conllu", "conllx"]
AnyFormat = Literal[Format, "text", "lines"]
Scheme = Literal["default", "paper", "distil"]

MODEL = "Model folder, or name of an installed model."
Model = Annotated[str, argument("<MODEL>", MODEL)]
Config = Annotated[
    str | None, choice("--config", metavar="<FILE>", help="Configuration file in TOML; treevote config prints one.")
]
NJobs = Annotated[int, machine("--jobs", "-j", metavar="<N>", help="Jobs at the same time; -1 is one for each core.")]
Backend = Annotated[str | None, machine(metavar="<NAME>", help="Backend of joblib, such as loky or threading.")]
Cluster = Annotated[
    str | None,
    machine(metavar="<ADDRESS>", help="Scheduler of a Dask cluster that does the work, such as tcp://host:8786."),
]
Clusters = Annotated[
    str | None, file("--word-clusters", help="Clusters of words (from treevote clusters), or word vectors.")
]
FileFormat = Annotated[Format, input(help="Format of the files.")]
TextFormat = Annotated[
    AnyFormat, input(help="Format of the files; text is running text (also *.txt), lines has a sentence on each line.")
]
Seed = Annotated[int | None, machine(metavar="<N>", min=0, help="Seed of the training.", show_default="0")]
Report = Annotated[str | None, written(help="Write a report, one HTML page.")]
AllFaults = Annotated[
    bool, guard("--all-faults", help="Check all files first, and name every fault, not only the first one.")
]
Output = Annotated[str, written("--output", "-o", help="File to write; - is standard output.")]
Support = Annotated[bool, output("--support", help="Write the share of the votes for each arc and label into MISC.")]
Json = Annotated[bool, output("--json", help="Answer in JSON.")]
FullJson = Annotated[
    Literal["compact", "full"] | None,
    output("--json", help="Answer in JSON; --json=full adds breakdowns, confusions and examples."),
]
"""An option that may stand without its value, see `treevote.cli.group.Command.parse_args`."""

FAILED = 3
"""Exit code of a command that did its work, and whose result did not pass a condition."""


def names(listed: str | None) -> list[str] | None:
    """Return the names of a list with commas, without spaces around them."""
    return None if listed is None else [name.strip() for name in listed.split(",")]


def refuse_both(options: Mapping[str, Any]) -> None:
    """Raise ConfigError if two options that exclude each other are both given."""
    given = [name for name, value in options.items() if value]
    if len(given) > 1:
        raise ConfigError(f"{' and '.join(given)} exclude each other; choose one")


def require_file(json: bool, output: str) -> None:
    """Raise ConfigError if an answer in JSON would stand among the sentences on standard output."""
    from treevote.files.streams import is_standard_output

    if json and is_standard_output(output):
        raise ConfigError("--json answers on standard output; name a file for the sentences with --output")


def require_pages(report: str | None) -> None:
    """Raise the error for a missing folder or library before the work, if a page is to be written."""
    from treevote.files.streams import is_standard_output, require_writable

    if is_standard_output(report):
        raise ConfigError("the answer is on standard output, too; name a file for --report")
    if report is not None:
        from treevote.report.page import environment

        require_writable([report])
        environment()


@contextmanager
def running(jobs: int = 1, backend: str | None = None, cluster: str | None = None) -> Iterator[Jobs]:
    """Yield jobs whose progress is shown: of this machine, or of the cluster with a scheduler at an address."""
    from treevote.parallel import Jobs, jobs_here
    from treevote.parallel import cluster as connected
    from treevote.terminal import progress_shown

    refuse_both({"--cluster": cluster, "--jobs": jobs != 1})
    refuse_both({"--cluster": cluster, "--backend": backend})
    with progress_shown() as progress, connected(cluster) if cluster else nullcontext():
        yield Jobs(-1, None, progress) if cluster else Jobs(jobs_here(jobs), backend, progress)


_words: list[str] = []


def remember(words: list[str]) -> None:
    """Remember the words of the command that is run."""
    _words[:] = words


def command_line() -> str:
    """Return the command that is run, as one would type it."""
    return shlex.join(_words)


def today() -> str:
    """Return the day, for the foot of a page: that of ``SOURCE_DATE_EPOCH``, in seconds since 1970, if it is set.

    Then a page has the same bytes on all days (https://reproducible-builds.org/specs/source-date-epoch/).
    """
    with suppress(KeyError, ValueError, OverflowError, OSError):  # it is not set, or no time
        return datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC).date().isoformat()
    return datetime.now().astimezone().date().isoformat()
