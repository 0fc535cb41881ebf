"""The main job from end to end on the default data: train on one kind of text, parse another, adapt, and score.

The web part trains: of every ten sentences nine are learned from and the tenth is the development set. Of the wiki
part every second sentence, from the first on, is the test set; the sentences in between, without their trees, are the
unlabelled text that the ensemble is adapted to.
"""

from __future__ import annotations

import dataclasses
import io
import itertools
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.data import Data
from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import Scheme
from treevote.commands.evaluate import cascade
from treevote.commands.example import example
from treevote.commands.train import compile_kernels
from treevote.conll.plain_text import text_of
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.default_treebank import default_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.counts import Counts, evaluate
from treevote.evaluation.evaluation import evaluate_systems
from treevote.files.temporaries import temporary
from treevote.kernels import Longs
from treevote.models.text.tokenization.library import library
from treevote.parallel import ONE_JOB, Jobs
from treevote.report.evaluation import cascade_text
from treevote.report.page import environment, write_report
from treevote.report.scores import percentage
from treevote.store import folder as store
from treevote.store.checkpoints import checkpoints
from treevote.terminal import duration, size, table

MODEL, ADAPTED, READER = "model", "adapted-model", "model-from-text"
GOLD, PARSED, UNLABELLED = "wiki-test.gold.conllu", "wiki-test.parsed.conllu", "wiki-unlabelled.conllu"
REPORT = "wiki-test.html"
"""Names in the output folder."""

METRICS = "LAS", "UAS", "MLAS", "BLEX"
"""Figures of the parses of raw text."""

VOTE, ADAPTED_TOO = "vote", ", adapted"
"""Name of the ensemble among its members, and the end of the names of parsers after the adaptation."""


@dataclass(frozen=True)
class Quickstart:
    """Result of `quickstart`: counts and seconds of members and vote on the test set, before and after adaptation.

    The seconds of the vote include its members. ``reasons`` against the adapted model are empty if it was kept;
    ``example`` is a sentence on which the members differ; ``from_text`` has the scores from raw text if asked for.
    """

    folder: Path
    training: Treebank
    test: Treebank
    training_seconds: float
    adapting_seconds: float
    reasons: list[str]
    n_bytes: int
    counts: Mapping[str, Counts]
    seconds: Mapping[str, float]
    example: list[str]
    from_text: str = ""

    def __str__(self) -> str:
        """Return the table, and the commands for a treebank of the user."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"trained on {_sizes(self.training)} of web text in {duration(self.training_seconds)}"
        yield f"tested on {_sizes(self.test)} of an encyclopedia\n"
        speeds = {name: f"{self.test.n_tokens / seconds:,.0f}" for name, seconds in self.seconds.items()}
        rows = [
            [name, f"{count.las:.2f}", f"{count.uas:.2f}", f"{self.seconds[name]:.2f}", speeds[name]]
            for name, count in self.counts.items()
        ]
        yield table(["", "LAS", "UAS", "seconds", "tokens/s"], rows) + "\n"
        las = {name: count.las for name, count in self.counts.items()}
        best = max((name for name in las if not name.endswith((VOTE, ADAPTED_TOO))), key=lambda name: las[name])
        yield "LAS is the share of words with the right head and label, UAS with the right head, in percent."
        yield f"The vote takes the tree with most votes: {las[VOTE] - las[best]:+.2f} LAS against its best, {best}."
        if (adapted := VOTE + ADAPTED_TOO) in las:
            gain = las[adapted] - las[VOTE]
            yield f"The adapted members also learned from text without trees, where parsers agreed: {gain:+.2f} LAS."
        if self.example:
            yield "\nA sentence of the test set on which members differ: the tree of the vote, and the members."
            yield from self.example
        if self.from_text:
            yield "\nThe same from raw text: a model with a tokenizer and a tagger, on the text of the test set alone."
            yield f"{self.from_text}\n"
        else:
            yield "\nThe words and tags of the test set were given. From raw text: treevote quickstart --from-text\n"
        if not self.reasons:
            yield f"adapted to {UNLABELLED} in {duration(self.adapting_seconds)}"
        yield from (f"the adapted model was not kept: {reason}" for reason in self.reasons)
        yield f"model   {self.folder / MODEL} ({size(self.n_bytes)})"
        if not self.reasons:
            yield f"adapted {self.folder / ADAPTED}"
        yield f"parses  {self.folder / PARSED}"
        yield f"gold    {self.folder / GOLD}"
        yield f"report  {self.folder / REPORT}, for a browser\n"
        yield "With a treebank of your own, in CoNLL-U or CoNLL-X:"
        yield "  treevote train --train train.conllu --dev dev.conllu -o my-model -j 2"
        yield "  treevote parse my-model input.conllu -o parsed.conllu"
        yield "  treevote evaluate test.conllu parsed.conllu"
        yield "  treevote adapt my-model new-domain.conllu --train train.conllu --dev dev.conllu -o adapted -j 2"


def quickstart(folder: str | Path, *, from_text: bool = False, jobs: Jobs = ONE_JOB) -> Quickstart:
    """Train the default ensemble on the default data, test it, adapt it, and test it again.

    The folder gets models, parses and gold trees; ``from_text`` also trains and tests a model that reads raw text.
    """
    folder = Path(folder)
    environment()  # before the work: it may be missing
    if from_text:
        library()
    store.check_target(folder / MODEL)
    web, wiki = read(default_treebank("web")), read(default_treebank("wiki"))
    tenth = np.arange(web.n_sentences) % 10 == 9
    training = _part(web, np.flatnonzero(~tenth), "web.conllu without every tenth sentence")
    dev = _part(web, np.flatnonzero(tenth), "every tenth sentence of web.conllu")
    test = _part(wiki, np.arange(0, wiki.n_sentences, 2), "every second sentence of wiki.conllu")

    start = time.monotonic()
    compile_kernels(EnsembleTrainer(), training)
    parser = EnsembleTrainer().train(training, dev, jobs=jobs)
    training_seconds = time.monotonic() - start
    save(parser, folder / MODEL)

    parses, seconds = _parse(parser, test, jobs)
    write(test, folder / GOLD)
    n_bytes = sum(store.sizes(folder / MODEL).values())

    start = time.monotonic()
    between = _part(wiki, np.arange(1, wiki.n_sentences, 2), "the other sentences of wiki.conllu")
    none = np.full(len(between.tokens), -1, np.int32)
    write(dataclasses.replace(between.with_trees(none, none, ()), source=None), folder / UNLABELLED)
    adapted = _adapted(parser, training, dev, folder, jobs)
    adapting_seconds = time.monotonic() - start
    if not adapted.reasons:
        save(adapted.parser, folder / ADAPTED)
        again, again_seconds = _parse(adapted.parser, test, jobs)
        parses |= {name + ADAPTED_TOO: parse for name, parse in again.items()}
        seconds |= {name + ADAPTED_TOO: second for name, second in again_seconds.items()}
    write(parses.get(VOTE + ADAPTED_TOO, parses[VOTE]).only(), folder / PARSED)
    write_report(evaluate_systems(test, parses, training=training), folder / REPORT)
    counts = {name: evaluate(test, parse) for name, parse in parses.items()}
    shown = example(test, {name: parses[name] for name in parser.members}, parses[VOTE])
    told = _from_text(training, dev, test, folder, jobs) if from_text else ""
    times = training_seconds, adapting_seconds
    return Quickstart(folder, training, test, *times, adapted.reasons, n_bytes, counts, seconds, shown, told)


def _from_text(training: Treebank, dev: Treebank, test: Treebank, folder: Path, jobs: Jobs) -> str:
    """Train a model that reads raw text; return its scores on the text of the test set, and its cascade."""
    data = AnnotatorTrainer().train(training, dev, jobs=jobs)
    parser = data.of(EnsembleTrainer().train(data.treebank, data.dev, jobs=jobs))
    save(parser, folder / READER)
    assert parser.reader is not None
    parses, _ = _parse(parser, parser.reader.read(b"".join(text_of(str(folder / GOLD)))), jobs)
    found = evaluate_systems(test, {name: parse.only() for name, parse in parses.items()}, samples=1, permutations=1)
    rows = [[system.name, *(percentage(system.rates[name].value) for name in METRICS)] for system in found.systems]
    return f"\n{table(['', *METRICS], rows)}\n\n{cascade_text(cascade(folder / READER, folder / GOLD))}"


def _adapted(parser: EnsembleParser, training: Treebank, dev: Treebank, folder: Path, jobs: Jobs) -> AdaptationResult:
    """Adapt in one round: more would find little in so short a text."""
    data = Data(dataclasses.replace(training, source=None), [folder / UNLABELLED], dev)
    scheme = Scheme(rounds=1)
    with temporary(folder / "work", folder=True) as room, checkpoints(Path(room, "steps"), {}) as steps:
        return Adaptation(parser, data, steps, scheme=scheme, guard=Guard(), seed=0, convention="ud", jobs=jobs).run()


def _parse(parser: EnsembleParser, treebank: Treebank, jobs: Jobs) -> tuple[dict[str, Treebank], dict[str, float]]:
    """Return parses and seconds of each member and of the vote."""
    parses: dict[str, Treebank] = {}
    seconds: dict[str, float] = {}
    for done, (name, member) in enumerate(parser.members.items(), start=1):
        start = time.monotonic()
        parses[name] = member.parse(treebank)
        seconds[name] = time.monotonic() - start
        jobs.tell("parsing", done, len(parser.members))
    start = time.monotonic()
    vote = parser.combine(parses)
    seconds[VOTE] = time.monotonic() - start + sum(seconds.values())
    return {**parses, VOTE: vote}, seconds


def _part(treebank: Treebank, sentences: Longs, name: str) -> Treebank:
    """Return some sentences with their text, comments included."""
    if treebank.source is None:
        return dataclasses.replace(treebank.select(sentences), name=name)
    lines = treebank.source.lines
    first = [*treebank.source.line_of[treebank.offsets[:-1]].tolist(), len(lines)]
    spans = list(itertools.pairwise(first))
    text = "\n".join(line for i in sentences.tolist() for line in lines[slice(*spans[i])])
    ended = text.rstrip("\n") + "\n\n"
    return read(io.BytesIO(ended.encode()), format="conllu", name=name)


def _sizes(treebank: Treebank) -> str:
    return f"{treebank.n_sentences:,} sentences ({treebank.n_tokens:,} tokens)"
