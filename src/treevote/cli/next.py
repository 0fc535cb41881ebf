"""Arguments of ``treevote next``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli import options


def next(
    model: options.Model,
    pool: Annotated[
        list[str], options.argument("<POOL>...", "Sentences without trees, or with trees that are not read.")
    ],
    sentences: Annotated[
        int | None, options.number("-k", "--sentences", help="Number of sentences.", show_default="50")
    ] = None,
    tokens: Annotated[int | None, options.number(help="Largest number of tokens in all, in place of -k.")] = None,
    annotated: Annotated[
        list[str] | None,
        options.input(metavar="<FILE>...", help="Sentences that are annotated already; they are left out."),
    ] = None,
    format: options.TextFormat = "auto",
    arcs: Annotated[
        float, options.output(metavar="<P>", min=0, max=1, help="Least probability of an error that is marked in MISC.")
    ] = 0.2,
    jobs: options.NJobs = 1,
    backend: options.Backend = None,
    output: options.Output = "-",
    json: options.Json = False,
) -> None:
    """Choose the sentences to annotate next.

    The choice prefers sentences with many doubtful arcs of different kinds; no two are nearly the same. They are
    written with the trees of the model, the most valuable first. A word whose arc or label is wrong with a probability
    of at least --arcs has Doubt=... in MISC, with the probability.
    """
    from treevote.commands.next import next_sentences
    from treevote.files.streams import is_standard_output, require_apart, require_writable
    from treevote.report.selection import as_json, as_text, sentence, write_selection
    from treevote.terminal import say, tell

    options.refuse_both({"--sentences": sentences, "--tokens": tokens})
    options.require_file(json, output)
    require_apart([output], [*pool, *(annotated or [])])
    require_writable([output])
    with options.running(jobs, backend) as running:
        selection = next_sentences(
            model, pool, sentences=sentences, tokens=tokens, annotated=annotated or [], format=format, jobs=running
        )
    write_selection(selection, output, arcs)
    if json:
        tell(as_json(selection, output, arcs, options.command_line()))
    elif is_standard_output(output):
        say(sentence(selection, arcs))
    else:
        tell(as_text(selection))
