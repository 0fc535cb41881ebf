"""Arguments of ``treevote parse``."""

from __future__ import annotations

from contextlib import nullcontext
from typing import Annotated, Literal

import typer

from treevote.cli.options import (
    AllFaults,
    Backend,
    Cluster,
    Confidence,
    Json,
    Model,
    NJobs,
    Output,
    Support,
    choice_option,
    command_line,
    guard_option,
    input_option,
    output_option,
    require_file,
)


def parse(
    model: Model,
    inputs: Annotated[
        list[str],
        typer.Argument(
            metavar="INPUT...", help="Files to parse; - is standard input. With --output-dir folders and patterns, too."
        ),
    ],
    format: Annotated[
        Literal["auto", "conllu", "conllx", "text", "lines"],
        input_option(help="Format of the files; text is running text (also *.txt), lines has a sentence on each line."),
    ] = "auto",
    member: Annotated[str | None, choice_option(metavar="NAME", help="Parse with this member alone.")] = None,
    on_error: Annotated[
        Literal["stop", "skip", "keep"],
        guard_option(help="Stop at a faulty sentence, leave it out, or keep it unparsed."),
    ] = "stop",
    tags: Annotated[
        Literal["auto", "keep", "predict"],
        choice_option(help="Lemmas and tags: predicted where a sentence has no tag, those of the text, all predicted."),
    ] = "auto",
    all_faults: AllFaults = False,
    strict: Annotated[
        bool, guard_option("--strict", help="Stop (exit code 3) at text without known tags, or in another language.")
    ] = False,
    jobs: NJobs = 1,
    backend: Backend = None,
    cluster: Cluster = None,
    output: Output = "-",
    output_dir: Annotated[
        str | None,
        output_option(metavar="DIR", help="Write one file for each input into DIR; the same command again goes on."),
    ] = None,
    suffix: Annotated[
        str, output_option(metavar="SUFFIX", help="With --output-dir: suffix of the outputs, such as .conllu.gz.")
    ] = "",
    force: Annotated[
        bool, guard_option("--force", help="With --output-dir: make all outputs again, replace other files.")
    ] = False,
    support: Support = False,
    confidence: Confidence = False,
    json: Json = False,
) -> None:
    """Parse files: running text, words, or words with tags; all but what is predicted is kept as it is.

    With --output-dir, a file with a fault leaves the others; the exit code is 4 then, and --json lists such files.
    """
    if output_dir is not None:
        from treevote.cli.parse_folder import parse_folder

        parse_folder(
            model,
            inputs,
            output_dir,
            given={"--output": output != "-", "--all-faults": all_faults},
            jobs=(jobs, backend, cluster),
            as_json=json,
            suffix=suffix,
            force=force,
            member=member,
            support=support,
            confidence=confidence,
            on_error=on_error,
            tags=tags,
            strict=strict,
            format=format,
        )
        return
    from treevote.cli.parse_folder import notice_fallbacks, require_output_dir

    require_output_dir({"--suffix": suffix, "--force": force})
    from treevote.files.streams import require_files
    from treevote.store.manifest import require_manifest

    require_manifest(model)  # before the compiler is loaded
    if not all_faults:  # which names all files that there are not
        require_files(inputs)
    from treevote.commands.faults import require_no_faults
    from treevote.commands.parse import as_json, parse_files
    from treevote.conll.text_chunks import text_format
    from treevote.errors import TreevoteError
    from treevote.parallel import Jobs
    from treevote.parallel import cluster as connected
    from treevote.terminal import fault, progress_shown, say, tell, warn

    require_file(json, output)
    if all_faults:
        columns = [path for path in inputs if text_format(path, format) is None]
        if format != "text" and format != "lines":
            require_no_faults({"ignored": columns}, fault, format=format)

    def refuse(doubt: str) -> None:
        fault(TreevoteError(doubt))
        raise typer.Exit(3)

    with progress_shown() as progress, connected(cluster) if cluster else nullcontext():
        summary = parse_files(
            model,
            inputs,
            output,
            member=member,
            support=support,
            confidence=confidence,
            on_error=on_error,
            tags=tags,
            format=format,
            jobs=Jobs(-1, None, progress) if cluster else Jobs(jobs, backend, progress),
            on_doubt=refuse if strict else warn,
        )
    if json:
        tell(as_json(summary, output, command_line()))
    else:
        say(str(summary))
    notice_fallbacks(summary.fallbacks)
