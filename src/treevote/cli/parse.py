"""Arguments of ``treevote parse``."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Annotated, Any, Literal

import typer

from treevote.cli import options
from treevote.errors import ConfigError, TreevoteError

SOME_FAULTY = 4
"""Exit code after a run with ``--output-dir`` in which some files had a fault."""


def parse(
    model: options.Model,
    inputs: Annotated[
        list[str],
        options.argument(
            "<INPUT>...", "Files to parse; - is standard input. With --output-dir also folders and patterns."
        ),
    ],
    format: options.TextFormat = "auto",
    encoding: Annotated[
        str, options.input(metavar="<NAME>", help="Encoding of the files, such as iso-8859-2; the output is UTF-8.")
    ] = "utf-8",
    member: Annotated[str | None, options.choice(metavar="<NAME>", help="Parse with this member alone.")] = None,
    on_error: Annotated[
        Literal["stop", "skip", "keep"],
        options.guard(help="Stop at a faulty sentence, leave it out, or keep it unparsed."),
    ] = "stop",
    tags: Annotated[
        Literal["auto", "keep", "predict"],
        options.choice(
            help="Lemmas and tags. auto: predicted in sentences without tags; keep: those of the file; "
            "predict: all are predicted."
        ),
    ] = "auto",
    keep: Annotated[
        Literal["heads", "labels", "all"] | None,
        options.choice(help="Keep the given HEAD, DEPREL, or both, where they are not _, and parse around them."),
    ] = None,
    all_faults: options.AllFaults = False,
    strict: Annotated[
        bool, options.guard("--strict", help="Fail (exit code 3) on text that is far from the training data.")
    ] = False,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    cluster: options.Cluster = None,
    output: options.Output = "-",
    output_dir: Annotated[
        str | None,
        options.output(
            metavar="<DIR>", help="Write one file for each input into DIR; the same command goes on from there."
        ),
    ] = None,
    suffix: Annotated[
        str, options.output(metavar="<SUFFIX>", help="With --output-dir: suffix, such as .conllu.gz; else the old one.")
    ] = "",
    force: Annotated[
        bool, options.guard("--force", help="With --output-dir: make all outputs again, and replace other files.")
    ] = False,
    id_prefix: Annotated[
        str, options.output(metavar="<NAME>", help="Beginning of the sent_id and newdoc id of running text.")
    ] = "",
    support: options.Support = False,
    confidence: Annotated[
        bool,
        options.output(
            "--confidence", help="Write the probability that each arc, label and predicted tag is right into MISC."
        ),
    ] = False,
    lights: Annotated[
        bool, options.output("--lights", help="Write Light=green (98 % are right), yellow or red into MISC.")
    ] = False,
    json: options.Json = False,
) -> None:
    """Parse running text, words, or words with tags.

    What is not predicted stays as it is. With --output-dir, a fault in one file does not stop the others: the exit code
    is 4, and --json lists the files with faults.
    """
    how: dict[str, Any] = {"member": member, "support": support, "confidence": confidence, "lights": lights}
    how |= {"on_error": on_error, "tags": tags, "keep": keep, "format": format}
    how |= {"encoding": encoding, "id_prefix": id_prefix}
    if output_dir is not None:
        for option, given in (("--output", output != "-"), ("--all-faults", all_faults)):
            if given:
                raise ConfigError(f"{option} does not go with --output-dir; leave out one of them")
        how |= {"suffix": suffix, "force": force, "strict": strict}
        _parse_folder(model, inputs, output_dir, (jobs, backend, cluster), json, **how)
        return
    for option, given in (("--suffix", bool(suffix)), ("--force", force)):
        if given:
            raise ConfigError(f"{option} goes with --output-dir; give that, too, or leave out {option}")
    from treevote.files.streams import require_files
    from treevote.store.manifest import require_manifest
    from treevote.store.packages import model_folder

    require_manifest(model_folder(model))  # before the compiler is loaded
    for path in filter(os.path.isdir, inputs):
        raise ConfigError(f"{path} is a folder; give --output-dir, too, or name the files in it")
    if not all_faults:  # which names all files that there are not
        require_files(inputs)
    from treevote.batch.parsing import member_of, stored_parser, trees_of
    from treevote.commands.faults import require_no_faults
    from treevote.commands.parse import parse_files
    from treevote.conll.text_chunks import text_format
    from treevote.report.parsing import files_json, files_text
    from treevote.terminal import fault, tell, warn

    options.require_file(json, output)
    if all_faults and format != "text" and format != "lines":
        columns = [path for path in inputs if text_format(path, format, encoding) is None]
        trees = trees_of(member_of(stored_parser(model, member)(), member), keep) if keep else "ignored"
        require_no_faults({trees: columns}, fault, format=format, encoding=encoding)

    def refuse(doubt: str) -> None:
        fault(TreevoteError(doubt))
        raise typer.Exit(options.FAILED)

    on_doubt: Callable[[str], None] = refuse if strict else warn
    with options.running(jobs, backend, cluster) as running:
        summary = parse_files(model, inputs, output, **how, jobs=running, on_doubt=on_doubt)
    if json:
        tell(files_json(summary, output, options.command_line()))
    _say("" if json else files_text(summary), summary.fallbacks)


def _parse_folder(
    model: str, inputs: list[str], folder: str, where: tuple[int, str | None, str | None], json: bool, **how: Any
) -> None:
    """Parse with ``--output-dir``; ``where`` are the number of jobs, their backend, and the address of a cluster."""
    from treevote.commands.parse_folder import parse_folder
    from treevote.report.parsing import folder_json, folder_text, folder_warnings
    from treevote.terminal import fault, tell, warn

    with options.running(*where) as running:
        summary = parse_folder(model, inputs, folder, jobs=running, **how)
    for _, problem in summary.faulty:
        fault(problem)
    for sentence in folder_warnings(summary):
        warn(sentence)
    if json:
        tell(folder_json(summary, options.command_line()))
    _say(folder_text(summary), summary.fallbacks)
    if summary.faulty:
        raise typer.Exit(SOME_FAULTY)


def _say(text: str, fallbacks: int) -> None:
    from treevote.terminal import notice, say

    for line in text.splitlines():
        say(line)
    if fallbacks:
        notice(f"{fallbacks:,} times a bounded search was cut short and completed by a simpler one")
