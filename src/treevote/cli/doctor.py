"""Arguments of ``treevote doctor``."""

from __future__ import annotations

from typing import Annotated

import typer

from treevote.cli import options


def doctor(
    files: Annotated[list[str], options.argument("<TREEBANK>...", "Sentences with trees.")],
    format: options.FileFormat = "auto",
    acknowledged: Annotated[
        str | None,
        options.file(help="Suspects that are right after all, in lines as --list writes them; they are left out."),
    ] = None,
    config: options.Config = None,
    fast: Annotated[
        bool, options.choice("--fast", help="Use one greedy parser: it is quicker, and finds slightly fewer errors.")
    ] = False,
    members: Annotated[
        str | None,
        options.members(
            help="Names of the parsers, the best one first.", show_default="graph-mira,pipeline,lr-maxent-forward"
        ),
    ] = None,
    folds: Annotated[
        int | None,
        options.choice(
            metavar="<N>",
            min=2,
            help="Number of parts of the treebank; each is parsed after training on the others.",
            show_default="3",
        ),
    ] = None,
    least: Annotated[
        float, options.choice(metavar="<P>", min=0, max=1, help="Least probability of a suspect, by the parsers.")
    ] = 0.2,
    fail_over: Annotated[
        int | None, options.guard(metavar="<N>", min=0, help="Exit with 3 if more than N suspects reach --least.")
    ] = None,
    seed: options.Seed = None,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    cluster: options.Cluster = None,
    work: Annotated[
        str | None,
        options.machine(
            metavar="<DIR>",
            help="Folder for the parses; the same command goes on from there. A folder named here is kept.",
            show_default="the treebank with .doctor",
        ),
    ] = None,
    output: Annotated[
        str | None, options.written("--output", "-o", help="Write the treebank with Suspect=... in MISC.")
    ] = None,
    list_file: Annotated[
        str | None, options.written("--list", help="Write a line for each suspect, for --acknowledged.")
    ] = None,
    report: options.Report = None,
    json: options.Json = False,
) -> None:
    """Find arcs and labels of a treebank that are probably wrong.

    The treebank is parsed by folds. A suspect is a word whose head or label the parsers reject, or which has another
    analysis elsewhere among the same words, or whose arc is unusual in this treebank. The most probable error comes
    first.
    """
    from treevote.commands.doctor import doctor as run
    from treevote.errors import ConfigError, TreevoteError
    from treevote.files.streams import is_standard_output, require_apart, require_writable
    from treevote.report.doctor import as_json, as_text, write_list, write_marked, write_report
    from treevote.terminal import fault, tell, warn

    if any(map(is_standard_output, (output, list_file, report))):
        raise ConfigError("the suspects are on standard output; name a file for --output, --list and --report")
    require_apart([list_file, report], [*files, acknowledged, config])
    require_apart([output, list_file, report], [acknowledged, *(files if len(files) > 1 else [])])
    require_writable([output, list_file])
    options.require_pages(report)
    with options.running(jobs, backend, cluster) as running:
        diagnosis = run(
            files,
            config=config,
            preset="fast" if fast else "default",
            members=options.names(members) or (),
            folds=folds,
            seed=seed,
            least=least,
            acknowledged=acknowledged,
            work=work,
            format=format,
            misc=output is not None,
            jobs=running,
            warn=warn,
        )
    tell(as_json(diagnosis, options.command_line()) if json else as_text(diagnosis))
    if output is not None:
        write_marked(diagnosis, output)
    if list_file is not None:
        write_list(diagnosis, list_file)
    if report is not None:
        write_report(diagnosis, report, command=options.command_line(), date=options.today())
    if fail_over is not None and diagnosis.probable > fail_over:
        found = f"expected at most {fail_over:,} suspects (--fail-over), found {diagnosis.probable:,}"
        fault(TreevoteError(f"{found}; correct or acknowledge some"))
        raise typer.Exit(options.FAILED)
