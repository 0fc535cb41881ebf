"""The tagger of a model: parts of speech, features, language-specific tags and lemmas, each by a vote of linear taggers.

The tasks follow one another: parts of speech; features, given parts of speech on both sides; language-specific parts
of speech; the edit rule of the lemma. Taggers of one task differ in direction and loss. Their scores are added up: a
product of experts (Hinton 2002). The tags and lemmas of the input are never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Annotated, ClassVar, NamedTuple

import numpy as np

from treevote.config import to_mapping
from treevote.conll.columns import with_words
from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.kernels import Floats, Ints, Longs, kernel
from treevote.models.tagging import templates
from treevote.models.tagging.classifier import Classifier, ClassifierTrainer, Direction, Loss
from treevote.models.tagging.dictionary import Dictionary, rows_of
from treevote.models.tagging.edit_rules import apply_rule, is_rule, rule_of
from treevote.models.tagging.features import Text
from treevote.models.tagging.forms import FormMemo
from treevote.models.tagging.learning import add_parts
from treevote.models.tagging.tagset import Parts, Tagset
from treevote.parallel import ONE_JOB, Jobs, Progress
from treevote.settings import Interval, Settings
from treevote.store.record import Record
from treevote.store.validation import rebuild

KIND = "tagger"

TASKS = ("upos", "feats", "xpos", "lemma")

_COLUMN = {"upos": 0, "feats": 1, "xpos": 2, "lemma": -1}

_BATCH = 4096  # tokens, about, whose scores are in memory at a time
_BOTH: tuple[Direction, ...] = ("forward", "backward")
_LOSSES: tuple[Loss, ...] = ("maxent", "margin")


def _vote(lines: str, context: float, losses: tuple[Loss, ...], directions: tuple[Direction, ...]) -> tuple[ClassifierTrainer, ...]:
    """Return the settings of taggers that differ in loss and direction."""
    own = tuple(lines.split())
    return tuple(
        ClassifierTrainer(templates=own, loss=loss, direction=direction, context=context)
        for loss in losses
        for direction in directions
    )


def default_taggers() -> dict[str, tuple[ClassifierTrainer, ...]]:
    """Return the settings of the taggers of each task."""
    return {
        "upos": _vote(templates.UPOS, 0.5, _LOSSES, _BOTH),
        "feats": _vote(templates.FEATS, 0.3, _LOSSES, _BOTH),
        "xpos": _vote(templates.XPOS, 0.5, ("maxent",), ("forward",)),
        "lemma": _vote(templates.LEMMA, 0.5, ("maxent",), ("forward",)),
    }


@dataclass(frozen=True)
class TaggerTrainer:
    """Settings of a tagger.

    Attributes
    ----------
    taggers : mapping of str to sequence of ClassifierTrainer
        For each of ``TASKS``, the linear taggers that vote.

    Examples
    --------
    >>> words = [Word("dogs", "dog", "NOUN", "NNS", "Number=Plur"), Word("bark", "bark", "VERB", "VBP", "_")]
    >>> toy = Treebank.of([(words, [2, 0], ["nsubj", "root"])] * 5)
    >>> bare = Treebank.of([(["dogs", "bark"], [2, 0], ["nsubj", "root"])])
    >>> TaggerTrainer().train(toy).tag(bare).sentence(0).words[1]
    Word(form='dogs', lemma='dog', upos='NOUN', xpos='NNS', feats='Number=Plur')
    """

    taggers: Mapping[str, tuple[ClassifierTrainer, ...]] = field(default_factory=default_taggers)

    def train(self, treebank: Treebank, *, seed: int = 0, jobs: Jobs = ONE_JOB) -> Tagger:
        """Learn from tags and lemmas; the same treebank and seed give the same tagger, whatever the jobs.

        Raises
        ------
        InputError
            If there is no token.
        """
        if not treebank.n_tokens:
            raise InputError("expected tags to learn from, found no token", path=treebank.name)
        forms = tuple(dict.fromkeys(word.form for word in treebank.words[1:]))
        memo = FormMemo(rows_of(forms))
        rows, values, known = memo.encode(treebank.words)
        is_token = treebank.is_token
        of_token = known[rows[treebank.tokens[is_token]]]
        tags = np.full((len(treebank.tokens), len(templates.TAGS)), -1, np.int32)
        vocabularies: dict[str, tuple[str, ...]] = {}
        for task, column in _COLUMN.items():
            if column >= 0:
                own = [getattr(word, task) for word in treebank.words]
                vocabularies[task] = tuple(sorted(set(own[1:])))
                number = {name: i for i, name in enumerate(vocabularies[task])}
                tags[:, column] = np.array([-1, *(number[name] for name in own[1:])], np.int32)[treebank.tokens]
        tasks, works = {}, []
        for task in TASKS:
            pairs = [_class_of(task, word) for word in treebank.words]
            counted = [pairs[word] for word in treebank.tokens[is_token].tolist()]
            tagset = Tagset.of(counted, split=task == "feats")
            numbers, groups = tagset.numbers(), {group: i for i, group in enumerate(tagset.groups)}
            classes = np.array([numbers.get(pair, -1) for pair in pairs], np.int32)[treebank.tokens]
            group_of = np.array([groups.get(group, 0) for group, _ in pairs], np.int32)[treebank.tokens]
            group_of[treebank.offsets[:-1]] = 0
            seen = classes[is_token] >= 0
            dictionary = Dictionary.of(of_token[seen], classes[is_token][seen], len(forms))
            text = Text(rows[treebank.tokens], treebank.offsets, values, known, group_of, tags)
            tasks[task] = tagset, dictionary
            works += [_Work(task, trainer, text, classes, tagset, dictionary, seed + i) for i, trainer in enumerate(self.taggers[task])]
        trained = list(jobs.map(_train, works))
        done = {
            task: Task(tagset, dictionary, tuple(t for w, t in zip(works, trained, strict=True) if w.task == task))
            for task, (tagset, dictionary) in tasks.items()
        }
        return Tagger(forms, done)


class _Work(NamedTuple):
    """A linear tagger to train."""

    task: str
    trainer: ClassifierTrainer
    text: Text
    classes: Ints
    tagset: Tagset
    dictionary: Dictionary
    seed: int


def _train(work: _Work, progress: Progress | None = None) -> Classifier:
    name = f"{work.task} {work.trainer.loss} {work.trainer.direction}"
    return work.trainer.train(
        work.text, work.classes, work.tagset, work.dictionary, seed=work.seed, name=name, progress=progress
    )


def _class_of(task: str, word: Word) -> tuple[str, str]:
    """Return the group of a word and its class in the group."""
    if task == "upos":
        return "_", word.upos
    if task == "lemma":
        return word.upos, rule_of(word.form, word.lemma)
    return word.upos, word.feats if task == "feats" else word.xpos


@dataclass(frozen=True, eq=False)
class Task:
    """The taggers of a task, what they choose from, and what they know of forms.

    Attributes
    ----------
    tagset : Tagset
    dictionary : Dictionary
    taggers : tuple of Classifier
    """

    tagset: Tagset
    dictionary: Dictionary
    taggers: tuple[Classifier, ...]

    def record(self) -> Record:
        """Return the task as data."""
        own = {str(i): tagger.record() for i, tagger in enumerate(self.taggers)}
        return Record("task", parts={"tagset": self.tagset.record(), "dictionary": self.dictionary.record(), **own})

    @classmethod
    def from_record(cls, record: Record, n_forms: int) -> Task:
        """Return the task of a record; raises as `treevote.store.validation.rebuild` expects."""
        tagset = Tagset.from_record(record.parts["tagset"])
        dictionary = Dictionary.from_record(record.parts["dictionary"], n_forms, len(tagset.names))
        n_parts = int(tagset.parts.bases[-1])
        own = [record.parts[name] for name in record.parts if name not in ("tagset", "dictionary")]
        if not own:
            raise ValueError("a task without taggers")
        return cls(tagset, dictionary, tuple(Classifier.from_record(part, n_parts) for part in own))


@dataclass(frozen=True, eq=False)
class Tagger:
    """A trained tagger. Safe to use from several threads.

    Attributes
    ----------
    forms : tuple of str
        The forms of the training data.
    tasks : dict of str to Task
        For each of ``TASKS``.
    """

    forms: tuple[str, ...]
    tasks: dict[str, Task]
    memo: FormMemo = field(init=False, repr=False)
    vocabularies: dict[str, tuple[str, ...]] = field(init=False, repr=False)
    """The values of each tag, sorted: their numbers are those of the templates."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "memo", FormMemo(rows_of(self.forms)))
        own = {task: tuple(sorted(set(self.tasks[task].tagset.names))) for task in TASKS}
        object.__setattr__(self, "vocabularies", own)

    def tag(self, treebank: Treebank) -> Treebank:
        """Return the same sentences and trees with predicted LEMMA, UPOS, XPOS and FEATS; those it has are not read."""
        rows, values, known = self.memo.encode(treebank.words)
        chosen = np.full((len(treebank.tokens), len(TASKS)), -1, np.int32)
        ends = treebank.offsets
        first = 0
        while first < treebank.n_sentences:
            last = max(first + 1, int(np.searchsorted(ends, ends[first] + _BATCH, side="right")) - 1)
            own = slice(int(ends[first]), int(ends[last]))
            offsets = ends[first : last + 1] - ends[first]
            chosen[own] = self._classes(rows[treebank.tokens[own]], offsets, values, known)
            first = last
        return self._with_classes(treebank, chosen)

    def _classes(self, tokens: Ints, offsets: Longs, values: Longs, known: Ints) -> Ints:
        """Return the class of each slot in each task, shape (n_slots, len(TASKS))."""
        tags = np.full((len(tokens), len(templates.TAGS)), -1, np.int32)
        is_token = np.ones(len(tokens), np.bool_)
        is_token[offsets[:-1]] = False
        chosen = np.full((len(tokens), len(TASKS)), -1, np.int32)
        groups = np.zeros(len(tokens), np.int32)
        for number, (name, task) in enumerate(self.tasks.items()):
            parts = task.tagset.parts
            widths = np.diff(parts.bases)[groups] * is_token
            places = np.cumsum(widths) - widths
            codes = self._codes(name)
            total = np.zeros(int(widths.sum()), np.float32)
            for tagger in task.taggers:
                text = Text(tokens, offsets, values, known, groups, tags.copy())
                tagger.add_scores(text, parts, task.dictionary, _COLUMN[name], codes, places, total)
            choose(parts, groups, places, total, is_token, chosen[:, number])
            if name == "upos":
                upos = self.tasks["feats"].tagset.groups
                group_of = {group: i for i, group in enumerate(upos)}
                groups = np.array([group_of.get(n, 0) for n in task.tagset.names], np.int32)[chosen[:, 0]] * is_token
            if _COLUMN[name] >= 0:
                tags[:, _COLUMN[name]] = np.where(is_token, codes[chosen[:, number]], -1)
        return chosen

    def _codes(self, task: str) -> Ints:
        number = {name: i for i, name in enumerate(self.vocabularies[task])}
        return np.array([number[name] for name in self.tasks[task].tagset.names], np.int32)

    def _with_classes(self, treebank: Treebank, chosen: Ints) -> Treebank:
        """Return the sentences with the tags of the chosen classes."""
        slots = np.column_stack([treebank.tokens, chosen])[treebank.is_token]
        distinct, number = np.unique(slots, axis=0, return_inverse=True)
        names = [self.tasks[task].tagset.names for task in TASKS]
        words, places = {ROOT: 0}, []
        for token, upos, feats, xpos, lemma in distinct.tolist():
            form = treebank.words[token].form
            word = Word(form, apply_rule(names[3][lemma], form), names[0][upos], names[2][xpos], names[1][feats])
            places.append(words.setdefault(word, len(words)))
        tokens = np.zeros(len(treebank.tokens), np.int32)
        tokens[treebank.is_token] = np.array(places, np.int32)[number.ravel()]
        return with_words(treebank, tuple(words), tokens)

    def record(self) -> Record:
        """Return the tagger as data."""
        return Record(KIND, texts={"form": self.forms}, parts={name: task.record() for name, task in self.tasks.items()})

    @classmethod
    def from_record(cls, record: Record) -> Tagger:
        """Return the tagger of a record; ModelError if its parts do not fit together."""
        return rebuild(record, KIND, cls._checked)

    @classmethod
    def _checked(cls, record: Record) -> Tagger:
        forms = tuple(record.texts["form"])
        tasks = {name: Task.from_record(record.parts[name], len(forms)) for name in TASKS}
        upos = set(tasks["upos"].tagset.names)
        if len(tasks["upos"].tagset.groups) != 1 or any(set(tasks[n].tagset.groups) != upos for n in TASKS[1:]):
            raise ValueError("the groups of its tags")
        if not all(map(is_rule, tasks["lemma"].tagset.names)):
            raise ValueError("the rules of its lemmas")
        return cls(forms, tasks)


@kernel
def choose(parts: Parts, groups: Ints, places: Longs, total: Floats, is_token: np.ndarray, chosen: Ints) -> None:
    """Write the class with the highest score of each token; of equal classes the first."""
    most = 0
    for g in range(len(parts.starts) - 1):
        most = max(most, parts.starts[g + 1] - parts.starts[g])
    classes = np.empty(most, np.float32)
    for slot in range(len(groups)):
        if is_token[slot]:
            group = groups[slot]
            add_parts(parts, group, total[places[slot] :], classes)
            best = 0
            for c in range(1, parts.starts[group + 1] - parts.starts[group]):
                if classes[c] > classes[best]:
                    best = c
            chosen[slot] = parts.starts[group] + best
