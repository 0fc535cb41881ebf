"""Arguments of ``treevote vote``."""

from __future__ import annotations

from typing import Annotated, Literal

from treevote.cli import options


def vote(
    systems: Annotated[
        list[str], options.argument("<SYSTEM>...", "Parses of the same sentences, two or more, the best first.")
    ],
    gold: Annotated[str | None, options.file(help="Gold trees to measure on.")] = None,
    dev: Annotated[
        list[str] | None,
        options.input(metavar="<SYSTEM>...", help="Parses of the sentences of --gold, in the order of the systems."),
    ] = None,
    format: options.FileFormat = "auto",
    weights: Annotated[
        Literal["equal", "agreement", "accuracy", "pos", "learned"] | None,
        options.choice(
            help="Weights of the votes, by default equal. agreement: with the other systems; accuracy, pos, learned: "
            "measured on --gold."
        ),
    ] = None,
    select: Annotated[
        bool, options.choice("--select", help="Choose the systems and weights that vote best on --gold and --dev.")
    ] = False,
    roots: Annotated[
        Literal["one", "several", "auto"],
        options.choice(help="Number of roots of a sentence; auto: as in --gold, or as in the parses without it."),
    ] = "auto",
    keep: Annotated[
        str | None,
        options.file(help="The same sentences with the heads and labels to keep, and _ in place of all others."),
    ] = None,
    all_faults: options.AllFaults = False,
    output: options.Output = "-",
    support: options.Support = False,
    confidence: Annotated[
        bool,
        options.output(
            "--confidence", help="Write the probability that each arc and label is right; needs --gold and --dev."
        ),
    ] = False,
    json: options.Json = False,
) -> None:
    """Combine the parses of any parsers into one.

    With --gold and --dev it prints the scores on the development set, the weights, the systems that were left out, and
    the gain of the vote.
    """
    from treevote.commands.faults import require_no_faults
    from treevote.commands.vote import vote_files
    from treevote.evaluation.names import named
    from treevote.report.votes import as_json, as_text
    from treevote.terminal import fault, inform, tell, warn

    options.require_file(json, output)
    if all_faults:
        files = [*named(systems).values(), *named(dev or []).values()]
        others = [gold] if gold else [], [keep] if keep else []
        require_no_faults({"optional": files, "required": others[0], "partial": others[1]}, fault, format=format)
    voted = vote_files(
        systems,
        output,
        weights=weights,
        select=select,
        gold=gold,
        dev=dev or [],
        roots=roots,
        keep=keep,
        support=support,
        confidence=confidence,
        format=format,
        warn=warn,
    )
    if json:
        tell(as_json(voted, output, options.command_line()))
    else:
        inform(as_text(voted))
