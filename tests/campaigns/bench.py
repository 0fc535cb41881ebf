"""Material of campaigns: texts, tiny models of every family, and a folder of their own."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from tests.reference.quick_tagger import SMALL
from tests.reference.toy_text import toy_tokenizer
from treevote.conll.chunks import chunks
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.ensemble.members import DEFAULT_MEMBERS, known_members
from treevote.ensemble.parser import save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.models.parsers.biaffine.parser import BiaffineTrainer
from treevote.models.parsers.decision_list.parser import DecisionListTrainer
from treevote.models.parsers.graph.parser import GraphTrainer
from treevote.models.parsers.pipeline.parser import PipelineTrainer
from treevote.models.parsers.transition.parser import TransitionTrainer
from treevote.models.text.text_annotator import TextAnnotator

TOY = Path(__file__).parents[2] / "data" / "toy.conllu"

RANGES = """# newdoc
# sent_id = r-1
# text = Dámelo ya.
1-3\tDámelo\t_\t_\t_\t_\t_\t_\t_\t_
1\tDa\tdar\tVERB\t_\tMood=Imp\t0\troot\t0:root\t_
2\tme\tyo\tPRON\t_\t_\t1\tiobj\t1:iobj\t_
3\tlo\tél\tPRON\t_\t_\t1\tobj\t1:obj\t_
3.1\t_\t_\tVERB\t_\t_\t_\t_\t1:conj\tCopyOf=1
4\tya\tya\tADV\t_\t_\t1\tadvmod\t1:advmod\tSpaceAfter=No|Gloss=now
5\t.\t.\tPUNCT\t_\t_\t1\tpunct\t1:punct\t_

# sent_id = r-2
# text = 猫 vámonos
0.1\t_\t_\t_\t_\t_\t_\t_\t_\t_
1\t猫\t猫\tNOUN\tNN\t_\t2\tnsubj\t_\t_
2-3\tvámonos\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tvamos\tir\tVERB\t_\tMood=Imp|Number=Plur\t0\troot\t_\t_
3\tnos\tnosotros\tPRON\t_\tCase=Acc\t2\tobj:arg\t_\t_

""".encode()

CROSSING = b"""# sent_id = c-1
1\tA\ta\tDET\tDT\t_\t2\tdet\t_\t_
2\thearing\thearing\tNOUN\tNN\t_\t3\tnsubj\t_\t_
3\tis\tbe\tAUX\tVBZ\t_\t0\troot\t_\t_
4\tscheduled\tschedule\tVERB\tVBN\t_\t3\tacl\t_\t_
5\ton\ton\tADP\tIN\t_\t2\tnmod\t_\t_
6\tit\tit\tPRON\tPRP\t_\t5\tpobj\t_\t_
7\ttoday\ttoday\tNOUN\tNN\t_\t4\ttmod\t_\t_

"""

CONLLX = b"""1\tCat\tcat\tN\tNC\tnum=s|gen=m\t2\tSUBJ\t_\t_
2\tsleeps\tsleep\tV\tVF\tnum=s\t0\tROOT\t0\tROOT
3\there\there\tA\tAD\t_\t2\tMOD\t_\t_

1\tGo\tgo\tV\tVI\t_\t0\tROOT\t_\t_

"""

READS = "reads"
"""The model with a tokenizer and a tagger."""


@dataclass(frozen=True)
class Bench:
    """A folder with models, made once; a folder for scratch; and a folder of real treebanks, if there is one."""

    models: Path
    scratch: Path
    treebanks: Path | None = None

    def model(self, name: str) -> Path:
        """Return a model folder; it is trained if it is not there."""
        path = self.models / name
        if not path.exists():
            members, dev = _models()[name]
            treebank = Treebank.concatenate([read(TOY), *(_treebank(text, self.models) for text in (RANGES, CROSSING))])
            parser = EnsembleTrainer(members).train(treebank, treebank if dev else None)
            reader = TextAnnotator(toy_tokenizer(), SMALL.train(treebank)) if name == READS else parser.annotator
            save(replace(parser, annotator=reader), path)
        return path

    @cached_property
    def texts(self) -> tuple[bytes, ...]:
        """Texts to be mutated: small files of every kind, and pieces of the real treebanks."""
        toy = TOY.read_bytes()
        own = [toy, toy[: toy.index(b"# sent_id = toy-4")], RANGES, RANGES + toy[:400], CROSSING + RANGES, CONLLX]
        own += [RANGES.replace(b"\n", b"\r\n"), CONLLX.replace(b"\n", b"\r\n"), b"\xef\xbb\xbf" + RANGES]
        return (*own, *([] if self.treebanks is None else _pieces(self.treebanks)))


def model_names() -> tuple[str, ...]:
    """Return the names of the models: one of each member, of every other kind of learner, and ensembles."""
    return tuple(_models())


def _models() -> dict[str, tuple[dict[str, Any], bool]]:
    """Return members of each model, and whether it has confidence."""
    lr = TransitionTrainer(cutoff=2)
    models: dict[str, tuple[dict[str, Any], bool]] = {
        name: ({name: _small(known_members()[name])}, False) for name in known_members()
    }
    for name, trainer in {
        "sgd": replace(lr, learner="sklearn.linear_model.SGDClassifier"),
        "best-first": replace(lr, search="best-first", encoding="head"),
        "inequality": replace(lr, learner="inequality-maxent", search="greedy"),
        "pairs": replace(lr, learner="pairs-svm", search="greedy"),
        "start-over": PipelineTrainer(policy="start-over", wait_right=True, depth=1, cutoff=2),
        "crossing": GraphTrainer(decoder="non-projective", bits=12, epochs=2),
        "first-order": GraphTrainer(order=1, bits=10, epochs=2, learner="perceptron"),
    }.items():
        models[name] = ({name: trainer}, False)
    models["ensemble"] = ({name: _small(known_members()[name]) for name in DEFAULT_MEMBERS}, True)
    models["pair"] = ({name: _small(known_members()[name]) for name in ("lr-svm-forward", "lr-svm-backward")}, True)
    models[READS] = ({name: _small(known_members()[name]) for name in ("lr-svm-forward",)}, False)
    models["mixed"] = (
        {name: _small(known_members()[name]) for name in ("pipeline", "graph-mira", "decision-list")},
        True,
    )
    return models


def _small(trainer: Any) -> Any:
    """Return a trainer whose models are quick to load."""
    if isinstance(trainer, GraphTrainer):
        return dataclasses.replace(trainer, bits=12, epochs=2, n_perceptrons=2)
    if isinstance(trainer, DecisionListTrainer):
        return dataclasses.replace(trainer, folds=2, weights=(1, 2))
    if isinstance(trainer, BiaffineTrainer):
        return dataclasses.replace(trainer, passes=2, layers=1, units=12, word_size=8, filters=8)
    return dataclasses.replace(trainer, cutoff=2)


def _treebank(text: bytes, folder: Path) -> Treebank:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "seed.conllu"
    path.write_bytes(text)
    return read(path)


def _pieces(folder: Path) -> list[bytes]:
    """Return a few kilobytes of each file of real treebanks."""
    found = []
    for path in sorted(folder.rglob("*.conll*")):
        if path.is_file() and path.suffix in (".conllu", ".conllx", ".conll", ".xz"):
            found.append(next(iter(chunks(path, n_bytes=6000))).text)
    return found
