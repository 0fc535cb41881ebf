"""The tagger of a model: parts of speech, features, language-specific tags and lemmas, each by a vote of taggers.

The tasks follow one another: parts of speech; features, given parts of speech on both sides; language-specific parts
of speech; the edit rule of the lemma. Taggers of one task differ in direction and loss. Their scores are added up: a
product of experts (Hinton 2002). The tags and lemmas of the input are never read.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from treevote.config import DATA
from treevote.conll.writer import with_words
from treevote.corpus.folds import runs_of
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.corpus.vocabulary import encode
from treevote.errors import ConfigError, InputError
from treevote.kernels import Bools, Floats, Ints
from treevote.models.learning.clusters.clusters import NONE, Clusters
from treevote.models.learning.network.training import Sentences
from treevote.models.text.tagging import templates
from treevote.models.text.tagging.classifier import ClassifierTrainer
from treevote.models.text.tagging.dictionary import Dictionary
from treevote.models.text.tagging.edit_rules import apply_rule, is_rule, rule_of
from treevote.models.text.tagging.features import Text
from treevote.models.text.tagging.forms import FormMemo
from treevote.models.text.tagging.neural_tagger import KIND as NEURAL
from treevote.models.text.tagging.neural_tagger import GoldTags, NeuralTagger, NeuralTaggerTrainer
from treevote.models.text.tagging.tagset import Tagset
from treevote.models.text.tagging.task import Task
from treevote.parallel import ONE_JOB, Jobs
from treevote.settings import Settings
from treevote.store.record import Record
from treevote.store.validation import rebuild

KIND = "tagger"
TASKS = {"upos": 0, "feats": 1, "xpos": 2, "lemma": -1}  # in order, with their columns in `templates.TAGS`, -1 for none

_BATCH = 4096  # tokens, about, whose scores are in memory at a time


def _differing(lines: str, context: float) -> tuple[ClassifierTrainer, ...]:
    """Return the settings of taggers that differ in loss and direction."""
    forward = ClassifierTrainer(templates=tuple(lines.split()), context=context, losses=("maxent", "margin"))
    return forward, dataclasses.replace(forward, direction="backward")


TAGGERS = {
    "upos": _differing(templates.UPOS, 0.5),
    "feats": _differing(templates.FEATS, 0.3),
    "xpos": (ClassifierTrainer(templates=tuple(templates.XPOS.split())),),
    "lemma": (ClassifierTrainer(templates=tuple(templates.LEMMA.split())),),
}
"""The default settings of the taggers of each task."""


@dataclass(frozen=True)
class TaggerTrainer(Settings):
    """Settings of a tagger: for each task the linear taggers that vote; clusters of words add templates to theirs.

    A neural tagger votes on UPOS, FEATS and XPOS besides, unless it is None.
    """

    taggers: Mapping[str, tuple[ClassifierTrainer, ...]] = field(default_factory=lambda: TAGGERS)
    neural: NeuralTaggerTrainer | None = None
    clusters: Clusters = field(default=NONE, repr=False, metadata=DATA)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.taggers.keys() != TASKS.keys() or not all(self.taggers.values()):
            raise ConfigError(f"expected taggers for {', '.join(TASKS)}, found {', '.join(self.taggers) or 'none'}")

    def train(self, treebank: Treebank, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Tagger:
        """Learn from tags and lemmas; the same treebank and seed give the same tagger, whatever the jobs.

        InputError if there is no token.
        """
        if not treebank.n_tokens:
            raise InputError("expected tags to learn from, found no token", path=treebank.name)
        treebank = treebank.compact()  # words of left-out sentences are unknown
        forms = tuple(dict.fromkeys(word.form for word in treebank.words[1:]))
        rows, values, known = FormMemo(forms, self.clusters).encode(treebank.words)
        gold = {"upos": _gold_classes(treebank, "upos", ("_",))}
        gold |= {task: _gold_classes(treebank, task, gold["upos"].tagset.names) for task in TASKS if task != "upos"}
        tags = np.column_stack([tagset.codes[classes] for classes, _, tagset in map(gold.__getitem__, templates.TAGS)])
        untrained: dict[str, tuple[Tagset, Dictionary]] = {}
        trainings: list[Callable[..., Any]] = []
        if self.neural is not None:  # the first one, since it takes longest
            trainings.append(functools.partial(self.neural.train, treebank, gold, forms, self.clusters, seed=seed))
        for task, (classes, groups, tagset) in gold.items():
            own = Text(rows[treebank.tokens], treebank.offsets, values, known, groups, tags)
            seen = classes >= 0
            dictionary = Dictionary.of(known[own.tokens[seen]], classes[seen], len(forms))
            more = tuple(templates.CLUSTERS[task].split()) if self.clusters else ()
            untrained[task] = tagset, dictionary
            for i, trainer in enumerate(self.taggers[task]):
                extended = dataclasses.replace(trainer, templates=(*trainer.templates, *more))
                train = functools.partial(extended.train, own, classes, tagset, dictionary, seed=seed + i, name=task)
                trainings.append(train)
        found: Iterator[Any] = iter([*jobs.map(operator.call, trainings)])
        neural = None if self.neural is None else next(found)
        trained = {
            task: Task(*own, tuple(itertools.islice(found, len(self.taggers[task])))) for task, own in untrained.items()
        }
        return Tagger(forms, trained, self.clusters, neural)


def _gold_classes(treebank: Treebank, task: str, known: Sequence[str]) -> GoldTags:
    """Return the classes of a task, in the groups that are known."""
    pairs = [_class_of(task, word) for word in treebank.words]
    of_token = treebank.tokens[treebank.is_token].tolist()
    kept = set(known)
    tagset = Tagset.of((pairs[word] for word in of_token if pairs[word][0] in kept), split=task == "feats")
    numbers, group_of = tagset.numbers(), {group: i for i, group in enumerate(tagset.groups)}
    classes = np.array([-1, *(numbers.get(pair, -1) for pair in pairs[1:])], np.int32)[treebank.tokens]
    groups = np.array([0, *(group_of.get(group, 0) for group, _ in pairs[1:])], np.int32)[treebank.tokens]
    return GoldTags(classes, groups, tagset)


def _class_of(task: str, word: Word) -> tuple[str, str]:
    """Return the group of a word and its class in the group; an empty column is read as ``_``."""
    lemma, upos, xpos, feats = (column or "_" for column in word[1:])
    if task == "upos":
        return "_", upos
    if task == "lemma":
        return upos, rule_of(word.form, lemma)
    return upos, feats if task == "feats" else xpos


@dataclass(frozen=True, eq=False)
class Tagger:
    """A trained tagger: the forms of the training data, and the tasks by name. Safe to use from several threads."""

    forms: tuple[str, ...]
    tasks: dict[str, Task]
    clusters: Clusters = NONE
    neural: NeuralTagger | None = None
    _memo: FormMemo = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_memo", FormMemo(self.forms, self.clusters))

    def tag(self, treebank: Treebank) -> Treebank:
        """Return the same sentences with predicted lemmas and tags; those that they have are not read."""
        return self.tag_with_margins(treebank)[0]

    def tag_with_margins(self, treebank: Treebank) -> tuple[Treebank, Bools, Floats]:
        """Tag as `tag` does; return also the tokens on whose tags the taggers agree, and the margins of the tags.

        The second result, shape (n_slots,), is true where each tagger of UPOS, FEATS and XPOS by itself chose the tag.
        Margins have the shape (n_slots, len(templates.TAGS)), see `treevote.models.text.tagging.task.VoteResult`.
        """
        rows, values, known = self._memo.encode(treebank.words)
        tokens, ends = rows[treebank.tokens], treebank.offsets
        chosen, new_feats = np.full((len(tokens), len(TASKS)), -1, np.int32), dict[str, int]()
        agreed, margins = np.zeros(len(tokens), np.bool_), np.zeros((len(tokens), len(templates.TAGS)), np.float32)
        read = None if self.neural is None else self.neural.sentences(treebank)
        for first, last in runs_of(ends, _BATCH):
            own = slice(int(ends[first]), int(ends[last]))
            offsets, neural = ends[first : last + 1] - ends[first], dict[str, Floats]()
            if self.neural is not None and read is not None:
                neural = self.neural.scores(Sentences(read.words, read.tokens[own], offsets))
            untagged = np.zeros(offsets[-1], np.int32), np.full((offsets[-1], len(templates.TAGS)), -1, np.int32)
            text = Text(tokens[own], offsets, values, known, *untagged)
            chosen[own], agreed[own], margins[own] = self._batch(text, neural, new_feats)
        is_token = treebank.is_token
        columns = treebank.tokens[is_token].tolist(), *chosen[is_token].T.tolist()
        distinct: dict[tuple[int, ...], int] = {}
        numbers = encode(zip(*columns, strict=True), distinct)[:-1]
        words: dict[Word, int] = {ROOT: 0}
        upos, feats, xpos, rules = (self.tasks[name].tagset.names for name in TASKS)
        feats = (*feats, *new_feats)
        places = encode(
            (_word(treebank.words[token].form, upos[i], feats[j], xpos[k], rules[m]) for token, i, j, k, m in distinct),
            words,
        )
        new = np.zeros(len(treebank.tokens), np.int32)
        new[is_token] = places[numbers]
        return with_words(treebank, tuple(words), new), agreed, margins

    def _batch(self, text: Text, neural: Mapping[str, Floats], new_feats: dict[str, int]) -> tuple[Ints, Bools, Floats]:
        """Return the class of each slot and task, -1 in ROOT slots; agreement and margins.

        Combinations of features that were never seen are numbered behind the classes, in ``new_feats``.
        """
        result, all_agreed, margins = [], np.ones(len(text.tokens), np.bool_), []
        for task, column in TASKS.items():
            classes, combinations, agreed, margin = self.tasks[task].vote(text, column, neural.get(task))
            all_agreed &= agreed
            codes = self.tasks[task].tagset.codes[classes]
            if column >= 0:
                margins.append(margin)
                text.tags[:, column] = codes
            if task == "upos":  # the groups of all other tasks
                text = text._replace(groups=np.maximum(codes, 0))
            for slot, combination in combinations.items():  # of the one task whose classes have parts
                number = new_feats.setdefault(combination, len(new_feats))
                classes[slot] = len(self.tasks[task].tagset.names) + number
                text.tags[slot, column] = -1
            result.append(classes)
        return np.array(result).T, all_agreed, np.array(margins).T

    def record(self) -> Record:
        """Return the tagger as data."""
        parts = {name: task.record() for name, task in self.tasks.items()}
        parts |= {} if self.neural is None else {"neural": self.neural.record()}
        return Record(KIND, texts={"form": self.forms, **self.clusters.texts()}, parts=parts)

    @classmethod
    def from_record(cls, record: Record) -> Tagger:
        """Return the tagger of a record; ModelError if its parts do not fit together."""
        return rebuild(record, KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> Tagger:
        forms = tuple(record.texts["form"])
        tasks = {
            name: rebuild(record.parts[name], "task", lambda part: Task.from_record(part, len(forms))) for name in TASKS
        }
        first, *others = (task.tagset for task in tasks.values())
        if len(first.groups) != 1 or any(other.groups != first.names for other in others):
            raise ValueError("the groups of its tags")
        if any(task.tagset.split for name, task in tasks.items() if name != "feats"):
            raise ValueError("the parts of its tags")
        if not all(map(is_rule, tasks["lemma"].tagset.names)):
            raise ValueError("the rules of its lemmas")
        clusters, neural = Clusters.from_texts(record.texts), None
        if "neural" in record.parts:
            tagsets = [tasks[task].tagset for task in templates.TAGS]
            neural = rebuild(
                record.parts["neural"], NEURAL, lambda part: NeuralTagger.from_record(part, forms, clusters, tagsets)
            )
        return cls(forms, tasks, clusters, neural)


@functools.lru_cache(1 << 16)  # the words of a text recur
def _word(form: str, upos: str, feats: str, xpos: str, rule: str) -> Word:
    return Word(form, apply_rule(rule, form), upos, xpos, feats)
