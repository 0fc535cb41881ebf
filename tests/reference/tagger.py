"""The tagger, plainly: strings in place of numbers, dictionaries in place of arrays, sums over all classes."""

from __future__ import annotations

import dataclasses
import itertools
import math
import zlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from tests.reference import features as plain
from treevote.corpus.sentence import Word
from treevote.models.learning.features.linear_guide import LinearGuide
from treevote.models.learning.features.trie import mix
from treevote.models.text.tagging.classifier import Classifier
from treevote.models.text.tagging.dictionary import Dictionary
from treevote.models.text.tagging.edit_rules import apply_rule
from treevote.models.text.tagging.tagger import Tagger

Part: TypeAlias = tuple[str, int | str]
"""``("whole", number of the class in its group)``, or ``("feature", "Case=Nom")``."""

START = np.uint64(0x9E3779B97F4A7C15)
OUTSIDE = "outside"


def spelled(form: str, name: str) -> str:
    """Return an attribute of a form, empty where it has none."""
    if name.startswith("cluster"):
        return ""
    lower = "".join("0" if character.isdigit() else character for character in form.lower())
    size = int(name[-1]) if name[-1].isdigit() else 0
    if name.startswith("infix"):
        return "".join(lower[len(lower) - size - 2 : len(lower) - size]) if len(lower) >= size + 2 else ""
    if size:
        if len(lower) < size:
            return ""
        return lower[:size] if name.startswith("prefix") else lower[len(lower) - size :]
    return plain.attribute(Word(form, "_", "_", "_", "_"), name)


def fired(
    forms: Sequence[str], tags: Sequence[Mapping[str, int]], position: int, templates: Iterable[str]
) -> list[tuple[str, tuple[str | int, ...]]]:
    """Return the templates that fire for a token, from 0, with their values; a tag of -1 is not known."""
    found = []
    for template in templates:
        values: list[str | int] = []
        for atom in template.split("+"):
            offset, name = atom.split(".")
            at = position + int(offset)
            if not 0 <= at < len(forms):
                values.append(OUTSIDE)
            elif name in ("upos", "feats", "xpos"):
                values.append(tags[at][name] if tags[at][name] >= 0 else "")
            else:
                values.append(spelled(forms[at], name))
        if "" not in values:
            found.append((template, tuple(values)))
    return found


def key_of(template: str, values: Iterable[str | int], templates: Sequence[str], group: int) -> int:
    """Return the key of a feature: its second bit tells whether it reads a neighbour."""
    key = np.uint64(mix(START, 0, group))
    for i, value in enumerate(values):
        if value == OUTSIDE:
            number = 1
        elif isinstance(value, int):
            number = value + 2
        else:
            number = max(1, zlib.crc32(value.encode("utf-8", "surrogatepass")))
        key = np.uint64(mix(key, 1 + 3 * list(templates).index(template) + i, number))
    context = any(atom.split(".")[0] != "0" for atom in template.split("+"))
    return int(key) & ~2 | 2 * context


def parts_of(names: Sequence[str], *, split: bool) -> tuple[list[Part], list[list[Part]]]:
    """Return all parts of a group, and the parts of each of its classes."""
    of_class: list[list[Part]] = []
    for i, name in enumerate(names):
        values = name.split("|")[:32] if split and name != "_" else []
        of_class.append([("whole", i), *(("feature", value) for value in dict.fromkeys(values))])
    features = dict.fromkeys(part for own in of_class for part in own[1:])
    return [*(("whole", i) for i in range(len(names))), *features], of_class


def class_scores(scores: Mapping[Part, float], of_class: Sequence[Sequence[Part]]) -> list[float]:
    """Return the score of each class."""
    return [sum(scores[part] for part in own) for own in of_class]


def cells(
    occurrences: Iterable[tuple[int, int]], form: int, classes: Iterable[int], gold: int | None = None
) -> dict[int, int]:
    """Return the cell of each of some classes that a form had in (form, class); one occurrence of gold is left out."""
    inside = set(classes)
    counts = Counter(number for own, number in occurrences if own == form and number in inside)
    if gold is not None:
        counts[gold] -= 1
    total = counts.total()
    level = sum(total >= least for least in (2, 4, 10))
    found = {}
    for number, count in sorted(counts.items()):
        if count > 0:
            share = count / total
            rank = 0 if share <= 0.1 else 1 if share <= 0.35 else 2 if share <= 0.65 else 3 if share < 0.95 else 4
            found[number] = 5 * level + rank
    return found


def entropy(scores: Sequence[float], gold: int) -> list[float] | None:
    """Return the gradient of the negative log-likelihood for the score of each class; None if gold is sure."""
    largest = max(scores)
    powers = [math.exp(score - largest) for score in scores]
    shares = [power / sum(powers) for power in powers]
    return None if shares[gold] > 0.9995 else [share - (c == gold) for c, share in enumerate(shares)]


def margin(scores: Sequence[float], gold: int) -> list[float] | None:
    """Return the gradient of the hinge loss; None if no rival is nearer than 2."""
    rival = max((c for c in range(len(scores)) if c != gold), key=lambda c: (scores[c], -c))
    if scores[gold] - scores[rival] >= 2:
        return None
    return [float(c == rival) - (c == gold) for c in range(len(scores))]


def part_gradient(
    gradient: Sequence[float], all_parts: Iterable[Part], of_class: Sequence[Sequence[Part]], own: Sequence[bool]
) -> dict[Part, float]:
    """Return the gradient for the score of each part; a class may have no part of its own."""
    result = dict.fromkeys(all_parts, 0.0)
    for c, parts in enumerate(of_class):
        for part in parts:
            if abs(gradient[c]) > 1e-4 and (part[0] == "feature" or own[c]):
                result[part] += gradient[c]
    return result


class Learner:
    """Weights by name, and their steps."""

    def __init__(self) -> None:
        self.weights: defaultdict[Any, float] = defaultdict(float)
        self.squares: defaultdict[Any, float] = defaultdict(lambda: 0.01)

    def step(self, name: object, gradient: float, rate: float) -> None:
        """Move a weight against its gradient."""
        self.squares[name] += gradient**2
        self.weights[name] -= rate * gradient / math.sqrt(self.squares[name])

    def learn(
        self,
        group: int,
        gold: int,
        values: Mapping[int, float],
        found: Mapping[int, int],
        parts: tuple[list[Part], list[list[Part]]],
        own: Sequence[bool],
        *,
        rate: float,
        hinge: bool,
    ) -> None:
        """Take a step for a token: ``values`` of its features, cells ``found`` of its classes in the dictionary."""
        all_parts, of_class = parts
        if len(of_class) < 2:
            return
        scores = {
            part: self.weights["bias", group, part]
            + sum(value * self.weights[feature, part] for feature, value in values.items())
            for part in all_parts
        }
        for c, cell in found.items():
            scores["whole", c] += self.weights["cell", cell]
        gradient = (margin if hinge else entropy)(class_scores(scores, of_class), gold)
        if gradient is None:
            return
        for c, cell in found.items():
            self.step(("cell", cell), gradient[c], rate)
        for part, slope in part_gradient(gradient, all_parts, of_class, own).items():
            if abs(slope) > 1e-3:
                self.step(("bias", group, part), slope, rate)
                for feature, value in values.items():
                    self.step((feature, part), value * slope, rate)


def unpacked(guide: LinearGuide) -> dict[int, dict[int, int]]:
    """Return the weights of each key, as `read_bits` of it, by class, from runs of weights and rows of pairs."""
    at = 0
    result: dict[int, dict[int, int]] = {}
    for key in guide.keys.tolist():
        size = int(guide.packed[at])
        length = -size if size < 0 else 2 * size
        row = guide.packed[at + 1 : at + 1 + length].tolist()
        pairs = zip(row[::2], row[1::2], strict=True) if size > 0 else enumerate(row[1:], row[0])
        result[key] = {k: weight for k, weight in pairs if weight or size > 0}
        assert 4 * len(result[key]) > length - 1 if size < 0 else len(result[key]) == size > 0
        at += 1 + length
    assert at == len(guide.packed)
    return result


def classes_of(bases: Sequence[int], group: int, number: int, n_taggers: int) -> range:
    """Return the classes of the parts of a group for one of several taggers."""
    width = bases[group + 1] - bases[group]
    first = n_taggers * bases[group] + number * width
    return range(first, first + width)


def alone(classifier: Classifier, bases: Sequence[int], number: int) -> Classifier:
    """Return one of the taggers with the same features by itself."""
    spans = [classes_of(bases, group, number, len(classifier.evidence)) for group in range(len(bases) - 1)]
    own = {old: new for new, old in enumerate(itertools.chain.from_iterable(spans))}
    keys, packed = [], list[int]()
    for key, weights in zip(classifier.guide.keys.tolist(), unpacked(classifier.guide).values(), strict=True):
        if kept := {own[k]: weight for k, weight in weights.items() if k in own}:
            keys.append(key)
            packed += [len(kept), *itertools.chain.from_iterable(kept.items())]
    bias, scale = classifier.guide.bias[list(own)], classifier.guide.scale
    guide = LinearGuide.of(np.array(keys, np.uint64), np.array(packed, np.int16), bias, scale)
    return dataclasses.replace(classifier, guide=guide, evidence=classifier.evidence[number : number + 1])


def best_swap(
    scores: Mapping[Part, float], of_class: Sequence[Sequence[Part]], best: int, least: float
) -> tuple[str, str] | None:
    """Return the feature of a class, and another value of it, that gain most over the class; None if below least."""
    own = [str(part[1]) for part in of_class[best][1:]]
    every = [str(part[1]) for part in scores if part[0] == "feature"]
    gains = [
        (scores["feature", new] - scores["feature", old] - scores["whole", best], old, new)
        for old in own
        for new in every
        if new != old and new.split("=")[0] == old.split("=")[0]
    ]
    most = max(gains, key=lambda gain: gain[0], default=None)
    return None if most is None or most[0] <= least else most[1:]


def tagged(tagger: Tagger, forms: Sequence[str], *, least_gain: float) -> list[Word]:
    """Return the words of a sentence: all taggers of a task score each token, and the sums decide."""
    known = {form: row for row, form in enumerate(tagger.forms)}
    tags: list[dict[str, int]] = [dict.fromkeys(("upos", "feats", "xpos"), -1) for _ in forms]
    words: list[dict[str, str]] = [{} for _ in forms]
    for task in ("upos", "feats", "xpos", "lemma"):
        tagset = tagger.tasks[task].tagset
        numbers = {name: number for number, name in enumerate(sorted(set(tagset.names)))}
        groups = [0 if task == "upos" else tagset.groups.index(word["upos"]) for word in words]
        spans = [(int(tagset.starts[group]), int(tagset.starts[group + 1])) for group in groups]
        parts = [parts_of(tagset.names[first:last], split=tagset.split) for first, last in spans]
        totals: list[dict[Part, float]] = [dict.fromkeys(every, 0.0) for every, _ in parts]
        taggers = tagger.tasks[task].taggers
        for classifier, number in ((one, t) for one in taggers for t in range(len(one.evidence))):
            own = [dict(each) for each in tags]
            weights, scale = unpacked(classifier.guide), classifier.guide.scale
            bases = tagset.parts.bases.tolist()
            for at in reversed(range(len(forms))) if classifier.backward else range(len(forms)):
                (every, of_class), (first, last) = parts[at], spans[at]
                keys = [
                    plain.read_bits(key_of(template, values, classifier.templates, groups[at]))
                    for template, values in fired(forms, own, at, classifier.templates)
                ]
                scores = {
                    part: scale * (int(classifier.guide.bias[k]) + sum(weights.get(key, {}).get(k, 0) for key in keys))
                    for k, part in zip(
                        classes_of(bases, groups[at], number, len(classifier.evidence)), every, strict=True
                    )
                }
                pairs = occurrences(tagger.tasks[task].dictionary, known.get(forms[at], -1))
                for seen, cell in cells(pairs, 0, range(first, last)).items():
                    scores["whole", seen - first] += float(classifier.evidence[number, cell])
                best = class_scores(scores, of_class)
                if task != "lemma":
                    own[at][task] = numbers[tagset.names[first + best.index(max(best))]]
                for part, score in scores.items():
                    totals[at][part] += score
        for at, (_, of_class) in enumerate(parts):
            of_classes = class_scores(totals[at], of_class)
            best_class = of_classes.index(max(of_classes))
            name = tagset.names[spans[at][0] + best_class]
            swap = best_swap(totals[at], of_class, best_class, least_gain)
            values = [swap[1] if swap and value == swap[0] else value for value in name.split("|")]
            combination = "|".join(values)
            fresh = combination not in tagset.names[slice(*spans[at])] and len(set(values)) == len(values)
            words[at][task] = combination if fresh else name
            if task != "lemma":
                tags[at][task] = -1 if fresh else numbers[name]
    return [
        Word(form, apply_rule(word["lemma"], form), word["upos"], word["xpos"], word["feats"])
        for form, word in zip(forms, words, strict=True)
    ]


def occurrences(dictionary: Dictionary, form: int) -> list[tuple[int, int]]:
    """Return the occurrences of a form, named 0, and its classes."""
    if form < 0:
        return []
    span = slice(int(dictionary.offsets[form]), int(dictionary.offsets[form + 1]))
    pairs = zip(dictionary.classes[span].tolist(), dictionary.counts[span].tolist(), strict=True)
    return [(0, number) for number, count in pairs for _ in range(count)]
