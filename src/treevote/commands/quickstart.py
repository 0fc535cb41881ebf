"""The main job from end to end on the default data: train on one kind of text, parse another, adapt, and score.

The web part trains: of every ten sentences nine are learned from and the tenth is the development set. Of the wiki
part every second sentence, from the first on, is the test set; the sentences in between, without their trees, are the
unlabelled text that the ensemble is adapted to.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from treevote.adaptation.adapt import Adaptation, AdaptationResult
from treevote.adaptation.data import Data
from treevote.adaptation.guard import Guard
from treevote.adaptation.scheme import Scheme
from treevote.commands.evaluate import cascade
from treevote.commands.train import compile_kernels
from treevote.conll.plain_text import text_of
from treevote.conll.reader import read
from treevote.conll.writer import write
from treevote.corpus.default_treebank import default_treebank
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.members import members_of
from treevote.ensemble.parser import EnsembleParser, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.evaluation.counts import Counts, evaluate
from treevote.evaluation.evaluation import evaluate_systems
from treevote.evaluation.results import Evaluation
from treevote.files.streams import path_of
from treevote.files.temporaries import temporary
from treevote.kernels import Longs
from treevote.models.text.tokenization.training import require_library
from treevote.parallel import Jobs
from treevote.store import folder as store
from treevote.store.checkpoints import checkpoints

MODEL, ADAPTED, READER = "model", "adapted-model", "model-from-text"
TRAINING, DEV, TEST, TEXT = "train.conllu", "dev.conllu", "test.conllu", "text.txt"
UNLABELLED, PARSED = "new-domain.conllu", "test.parsed.conllu"
"""Names in the output folder: models; the parts of the treebank, and the text of the test set; what is made of them."""

MEMBERS = "lr-maxent-forward", "pipeline", "lr-maxent-backward"
"""Members that train in seconds, of two families and two directions; the default ensemble votes better."""

VOTE, ADAPTED_TOO = "vote", " (adapted)"
"""Name of the ensemble among its members, and the end of the names of parsers after the adaptation."""


@dataclass(frozen=True)
class Quickstart:
    """Result of `quickstart`: parses, counts and seconds of members and vote on the test set.

    Those of the adapted model are called ``NAME (adapted)``. The seconds are those of a processor; those of the vote
    include its members. ``reasons`` against the adapted model are empty if it was kept. If asked for, ``from_text``
    has the evaluation of the parses of raw text, and the cascade of their model.
    """

    folder: Path
    training: Treebank
    test: Treebank
    adapting_seconds: float
    reasons: list[str]
    n_bytes: int
    parses: Mapping[str, Treebank]
    counts: Mapping[str, Counts]
    seconds: Mapping[str, float]
    from_text: tuple[Evaluation, Evaluation] | None


def quickstart(folder: str | Path, *, from_text: bool, jobs: Jobs) -> Quickstart:
    """Train an ensemble of quick members on the default data, test it, adapt it, and test it again.

    The folder gets models, parses, and the parts of the treebank as files, so that other commands can be tried on them;
    ``from_text`` also trains and tests a model that reads raw text.
    """
    folder = Path(path_of(folder))
    if from_text:
        require_library()  # before the work: it may be missing
    for name in (MODEL, ADAPTED, READER) if from_text else (MODEL, ADAPTED):
        store.check_target(folder / name)
    web, wiki = read(default_treebank("web")), read(default_treebank("wiki"))
    tenth = np.arange(web.n_sentences) % 10 == 9
    training = _part(web, np.flatnonzero(~tenth), "web.conllu without every tenth sentence")
    dev = _part(web, np.flatnonzero(tenth), "every tenth sentence of web.conllu")
    test = _part(wiki, np.arange(0, wiki.n_sentences, 2), "every second sentence of wiki.conllu")

    trainer = EnsembleTrainer(members_of(MEMBERS))
    compile_kernels(trainer, training)
    parser = trainer.train(training, dev, jobs=jobs)
    save(parser, folder / MODEL)

    parses, seconds = _parse(parser, test, jobs)
    for part, name in ((training, TRAINING), (dev, DEV), (test, TEST)):
        write(part, folder / name)
    (folder / TEXT).write_bytes(b"".join(text_of(str(folder / TEST))))
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
    counts = {name: evaluate(test, parse) for name, parse in parses.items()}
    raw = _from_text(training, dev, test, folder, jobs) if from_text else None
    return Quickstart(folder, training, test, adapting_seconds, adapted.reasons, n_bytes, parses, counts, seconds, raw)


def _from_text(
    training: Treebank, dev: Treebank, test: Treebank, folder: Path, jobs: Jobs
) -> tuple[Evaluation, Evaluation]:
    """Train a model that reads raw text; return its scores on the text of the test set, and its cascade."""
    data = AnnotatorTrainer().train(training, dev, jobs=jobs)
    parser = data.of(EnsembleTrainer(members_of(MEMBERS)).train(data.treebank, data.dev, jobs=jobs))
    save(parser, folder / READER)
    parses, _ = _parse(parser, parser.annotator.read((folder / TEXT).read_bytes()), jobs)
    found = evaluate_systems(test, {name: parse.only() for name, parse in parses.items()}, samples=1, permutations=1)
    return found, cascade(folder / READER, folder / TEST)


def _adapted(parser: EnsembleParser, training: Treebank, dev: Treebank, folder: Path, jobs: Jobs) -> AdaptationResult:
    """Adapt the ensemble to the encyclopedia."""
    data = Data(dataclasses.replace(training, source=None), [folder / UNLABELLED], dev)
    with temporary(folder / "work", folder=True) as room, checkpoints(Path(room, "steps"), {}) as steps:
        return Adaptation(parser, data, steps, scheme=Scheme(), guard=Guard(), seed=0, convention="ud", jobs=jobs).run()


def _parse(parser: EnsembleParser, treebank: Treebank, jobs: Jobs) -> tuple[dict[str, Treebank], dict[str, float]]:
    """Return parses and seconds of a processor of each member and of the vote."""
    parses: dict[str, Treebank] = {}
    seconds: dict[str, float] = {}
    for done, (name, member) in enumerate(parser.members.items(), start=1):
        start = time.process_time()
        parses[name] = member.parse(treebank)
        seconds[name] = time.process_time() - start
        jobs.tell("parsing", done, len(parser.members))
    start = time.process_time()
    vote = parser.combine(parses)
    seconds[VOTE] = time.process_time() - start + sum(seconds.values())
    return {**parses, VOTE: vote}, seconds


def _part(treebank: Treebank, sentences: Longs, name: str) -> Treebank:
    """Return some sentences with their text, comments included, under a name of their own."""
    part = treebank.select(sentences, source=True).compact()
    assert part.source is not None, "read from a file"
    return dataclasses.replace(part, name=name, source=dataclasses.replace(part.source, path=""))
