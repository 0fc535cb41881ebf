"""Compilation ahead: the kernels of training and parsing with some members, so that no later run compiles them."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from treevote import compilation
from treevote.commands.evaluate import evaluate
from treevote.commands.parse import parse_files
from treevote.conll.writer import write
from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import AnnotatorTrainer
from treevote.ensemble.judge import learn
from treevote.ensemble.members import DEFAULT_MEMBERS, expanded, members_of
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.kernel_files import kernels_folder
from treevote.models.learning.clusters.induction import induce
from treevote.models.text.tokenization.multiword import MultiwordRules
from treevote.models.text.tokenization.network import CharacterNetwork
from treevote.models.text.tokenization.splitter import Splitter
from treevote.parallel import Jobs
from treevote.terminal import duration, plural


@dataclass(frozen=True, slots=True)
class WarmingResult:
    """Result of `warm`; ``lost`` kernels could not be kept; the folder is empty if none can be written to."""

    members: tuple[str, ...]
    compiled: int
    seconds: float
    folder: str
    lost: int = 0

    def __str__(self) -> str:
        """Return it as sentences."""
        names = ", ".join(self.members)
        if not self.compiled:
            return f"everything was compiled already for {names}; it is kept in {self.folder}"
        done = f"compiled {plural(self.compiled, 'kernel')} for {names} in {duration(self.seconds)}"
        if not self.folder:
            return f"{done}, not kept"
        if self.lost:
            remedy = "make space on its disk, and run the command again"
            return f"{done}; {self.lost} of them could not be kept in {self.folder}; {remedy}"
        return f"{done}, kept in {self.folder}"


def warm(members: Sequence[str], *, jobs: Jobs) -> WarmingResult:
    """Compile what clusters of words, training with members and taggers, parsing and evaluation need.

    It does all this with a few made-up sentences. The members are those of the default ensemble if none is named;
    progress is told after each.
    """
    start, before = time.monotonic(), compilation.state()
    names = expanded(members or DEFAULT_MEMBERS)
    trainers = members_of(names)
    toy = made_up()
    learn("learned", toy, [toy, toy], single_root=True)[0].vote([toy, toy], single_root=True)
    induce([toy])
    Splitter(CharacterNetwork.untrained(), MultiwordRules({}, {})).sentences("the dog")
    seen = AnnotatorTrainer(reads="tokens").train(toy, toy)
    with TemporaryDirectory() as folder:
        text, model, parse = (Path(folder, name) for name in ("toy.conllu", "model", "parse.conllu"))
        write(toy, text)
        for number, (name, trainer) in enumerate(trainers.items(), start=1):
            save(seen.of(EnsembleTrainer({name: trainer}).train(toy, toy)), model)
            parse_files(model, [text], parse, tags="predict", confidence=True, support=True)
            parse_files(model, [text], os.devnull)
            parse_files(model, [text], os.devnull, keep="all")
            jobs.tell("members", number, len(trainers))
        evaluate(text, [f"one={text}", f"two={parse}"])
    after, seconds = compilation.state(), time.monotonic() - start
    return WarmingResult(names, after.done - before.done, seconds, kernels_folder(), after.lost - before.lost)


def made_up() -> Treebank:
    """Return a treebank in which every part of the parsers has something to do: also a tree with crossing arcs."""
    tags = {"the": "DET", "dog": "NOUN", "cat": "NOUN", "sees": "VERB", "hears": "VERB", "today": "ADV", ".": "PUNCT"}
    words = {form: Word(form, form, tag, tag, "_" if tag == "PUNCT" else f"Is={tag}") for form, tag in tags.items()}
    plain = "the dog sees the cat .", (2, 3, 0, 5, 3, 3), ("det", "nsubj", "root", "det", "obj", "punct")
    short = "the cat hears .", (2, 3, 0, 3), ("det", "nsubj", "root", "punct")
    crossing = "dog the sees today cat .", (3, 5, 0, 3, 3, 3), ("nsubj", "det", "root", "advmod", "obj", "punct")
    sentences = plain, short, crossing
    return Treebank.of(
        [([words[form] for form in text.split()], heads, labels) for text, heads, labels in sentences] * 20
    )
