"""Arguments of the commands for text: ``treevote clusters``, ``vectors`` and ``text``."""

from __future__ import annotations

from typing import Annotated

from treevote.cli import options

Texts = Annotated[list[str], options.argument("<TEXT>...", "CoNLL-U, or running text; - is standard input.")]
Model = Annotated[
    str | None,
    options.input(metavar="<MODEL>", help="Model whose tokenizer reads running text: its folder, or its name."),
]
Format = Annotated[options.AnyFormat, options.input(help="Format of the files; text and lines are running text.")]


def clusters(
    texts: Texts,
    output: options.Output = "-",
    model: Model = None,
    format: Format = "auto",
    classes: Annotated[int, options.number(max=2000, help="Number of classes of words.")] = 128,
    least: Annotated[int, options.number(help="Least number of occurrences of a word.")] = 2,
) -> None:
    """Make clusters of words from text without trees.

    Words that occur among the same words have paths with a common prefix (Brown et al. 1992). The file is for train and
    adapt --word-clusters.
    """
    from treevote.commands.word_representations import make_clusters, unlabelled
    from treevote.terminal import plural, say

    with options.running() as jobs:
        sentences = unlabelled(texts, output, model=model, format=format, jobs=jobs)
        tokens, words, found = make_clusters(sentences, output, n_classes=classes, least=least, jobs=jobs)
    say(f"{plural(words, 'word')} in {plural(found, 'cluster')}, from {plural(tokens, 'token')}")


def vectors(
    texts: Texts,
    output: options.Output = "-",
    model: Model = None,
    format: Format = "auto",
    size: Annotated[int, options.number(max=2000, help="Number of dimensions.")] = 100,
    least: Annotated[int, options.number(help="Least number of occurrences of a word.")] = 3,
) -> None:
    """Make word vectors from text without trees.

    Words that stand among the same words have vectors of nearly the same direction (Levy, Goldberg & Dagan 2015). The
    file is for train --vectors.
    """
    from treevote.commands.word_representations import make_vectors, unlabelled
    from treevote.terminal import plural, say

    with options.running() as jobs:
        sentences = unlabelled(texts, output, model=model, format=format, jobs=jobs)
        tokens, words = make_vectors(sentences, output, size=size, least=least)
    say(f"vectors of {plural(words, 'word')} in {plural(size, 'dimension')}, from {plural(tokens, 'token')}")


def text(
    file: Annotated[str, options.argument("<FILE>", "CoNLL-U; - is standard input.")],
    output: options.Output = "-",
    lines: Annotated[bool, options.output("--lines", help="Write each sentence on a line of its own.")] = False,
) -> None:
    """Write the plain text of a CoNLL-U file.

    The parse of a running text gives that text back byte for byte.
    """
    from treevote.commands.parse import write_text
    from treevote.files.streams import require_apart
    from treevote.terminal import plural, say, warn

    require_apart([output], [file])
    summary = write_text(file, output, lines=lines)
    if summary.different:
        warn(
            f"{file}: in {summary.different:,} of {summary.sentences:,} sentences, first {summary.first_different}, "
            "the comment # text has something else than the tokens and spaces, which were written"
        )
    say(f"wrote {plural(summary.sentences, 'sentence')}")
