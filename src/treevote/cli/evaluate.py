"""Arguments of the commands that measure: ``treevote evaluate``, ``reliability`` and ``cascade``."""

from __future__ import annotations

from typing import Annotated, Literal

import typer

from treevote.cli import options


def evaluate(
    gold: Annotated[str, options.argument("<GOLD>", "Sentences with trees.")],
    systems: Annotated[
        list[str], options.argument("<SYSTEM>...", "Parses of the same sentences; NAME=FILE gives a system a name.")
    ],
    train: Annotated[
        str | None, options.file(help="Training data, to tell known words and labels from others.")
    ] = None,
    format: options.FileFormat = "auto",
    ud: Annotated[
        bool | None,
        options.choice("--ud/--conllx", help="Convention of the scores; by default the one of GOLD's format."),
    ] = None,
    punct: Annotated[bool, options.choice("--punct/--no-punct", help="Score punctuation, or leave it out.")] = True,
    all_faults: options.AllFaults = False,
    fail_under: Annotated[
        list[str] | None,
        options.guard(
            metavar="<METRIC=NUMBER>...", help="Exit with 3 if a score of a system is lower, such as LAS=87."
        ),
    ] = None,
    against: Annotated[
        str | None,
        options.guard(
            metavar="<BASELINE>", help="System or file to compare with; exit with 3 if another system is worse."
        ),
    ] = None,
    max_loss: Annotated[
        list[str] | None,
        options.guard(
            metavar="<[METRIC=]NUMBER>...",
            help="Points that a system may lose against BASELINE; METRIC is LAS if left out.",
            show_default="0",
        ),
    ] = None,
    significant: Annotated[
        bool, options.guard("--significant", help="Exit with 3 only if the loss is significant (corrected p < 0.05).")
    ] = False,
    well_formed: Annotated[
        bool, options.guard("--well-formed", help="Exit with 3 if some sentences of a system are not trees.")
    ] = False,
    seed: Annotated[int, options.machine(metavar="<N>", min=0, help="Seed of the significance tests.")] = 0,
    report: options.Report = None,
    json: options.FullJson = None,
    csv: Annotated[
        bool,
        options.output("--csv", help="Answer in CSV; a text that begins with = + - @ gets an apostrophe in front."),
    ] = False,
    latex: Annotated[
        bool,
        options.output(
            "--latex",
            help="Answer as a table in LaTeX; the best is bold, a star marks what is significantly worse (p < 0.05).",
        ),
    ] = False,
) -> None:
    """Compare parses with gold trees, and say which is best.

    UAS counts tokens with the right head, LAS tokens with the right head and label. CLAS is LAS of content words, MLAS
    also wants their tags and features right, BLEX their lemmas. LA counts labels alone, root tokens rightly on ROOT,
    complete sentences with all heads right. Two systems or more are compared by two paired tests over sentences: points
    is the difference, with the 95 % interval of the bootstrap. p bootstrap and p randomization are corrected for all
    pairs by Holm's method.
    """
    from treevote.commands.evaluate import evaluate as run
    from treevote.commands.evaluate import with_baseline
    from treevote.commands.faults import require_no_faults
    from treevote.errors import ConfigError, TreevoteError
    from treevote.evaluation import gates
    from treevote.evaluation.names import named
    from treevote.files.streams import require_apart
    from treevote.report.evaluation import as_csv, as_json, as_latex, as_text
    from treevote.terminal import fault, say, tell

    options.refuse_both({"--json": json, "--csv": csv, "--latex": latex})
    require_apart([report], [gold, train, *named(systems).values()])
    options.require_pages(report)
    if (max_loss or significant) and against is None:
        raise ConfigError("--max-loss and --significant need a baseline: name it with --against")
    least = gates.thresholds(fail_under or [])
    most = gates.thresholds(max_loss or ["0"], metric="LAS")
    baseline = further = None
    if against is not None:
        n_asked = len(systems)
        systems, baseline = with_baseline(systems, against)
        further = baseline if len(systems) > n_asked else None  # no gate but for the systems that were named
    if all_faults:
        others = [*named(systems).values(), *([train] if train else [])]
        require_no_faults({"required": [gold], "optional": others}, fault, format=format)
    asked: Literal["ud", "conllx"] | None = None if ud is None else "ud" if ud else "conllx"
    evaluation = run(gold, systems, convention=asked, punctuation=punct, format=format, training=train, seed=seed)
    checked = [*gates.fail_under(evaluation, least, but=further)]
    if baseline is not None:
        checked += gates.max_loss(evaluation, most, baseline, significant=significant)
    if well_formed:
        checked += gates.well_formed(evaluation, but=further)
    if report is not None:  # first: if it cannot be written, there is no answer either
        from treevote.report.page import write_report

        data = as_json(evaluation, gates=checked, command=options.command_line())
        write_report(evaluation, report, data=data, command=options.command_line(), date=options.today())
    if json:
        tell(as_json(evaluation, full=json == "full", gates=checked, command=options.command_line()))
    else:
        tell((as_csv if csv else as_latex if latex else as_text)(evaluation))
    if report is not None:
        say(f"wrote the report {report}")
    for gate in checked:
        if gate.passed:
            say(f"gate holds: {gate.sentence}")
        else:
            fault(TreevoteError(f"gate failed: {gate.sentence}"))
    if not all(gate.passed for gate in checked):
        raise typer.Exit(options.FAILED)


def reliability(
    gold: Annotated[str, options.argument("<GOLD>", "Sentences with trees.")],
    system: Annotated[str, options.argument("<PARSE>", "The same sentences, parsed with --confidence.")],
    json: options.Json = False,
) -> None:
    """Compare the confidence of a parse with its accuracy."""
    from treevote.commands.evaluate import reliability as run
    from treevote.files.streams import require_apart
    from treevote.report.answer import answer
    from treevote.report.scores import confidence
    from treevote.terminal import tell

    require_apart([], [gold, system])
    found = run(gold, system)
    tell(answer("reliability", found, options.command_line()) if json else confidence(found))


def cascade(
    model: options.Model,
    gold: Annotated[str, options.argument("<GOLD>", "Sentences with tags and trees.")],
    format: options.FileFormat = "auto",
    json: options.Json = False,
) -> None:
    """Evaluate a model on gold tags, gold tokens and raw text.

    The three rows show how much is lost with predicted tags, and how much with predicted tokens.
    """
    from treevote.commands.evaluate import cascade as run
    from treevote.report.evaluation import cascade_json, cascade_text
    from treevote.terminal import tell

    evaluation = run(model, gold, format=format)
    tell(cascade_json(evaluation, model, options.command_line()) if json else cascade_text(evaluation))
