"""Habits and variation of a treebank, counted word by word."""

from __future__ import annotations

from collections import Counter, defaultdict

from treevote.annotation.habits import UNSEEN
from treevote.corpus.treebank import Treebank
from treevote.ensemble.candidate_features import place_of


def head_habits(treebank: Treebank, proposed: list[list[int]]) -> list[tuple[float, float]]:
    """Return for each slot the share of the given head, and that of the other proposed ones, in the rates of all."""
    arcs: Counter[tuple[str, str, int]] = Counter()
    pairs: Counter[tuple[str, str, int]] = Counter()
    for sentence in treebank:
        tags = [word.upos for word in sentence.words]
        for d in range(1, len(tags)):
            for h in range(len(tags)):
                if h != d:
                    pairs[tags[d], tags[h], place_of(d, h)] += 1
                    arcs[tags[d], tags[h], place_of(d, h)] += int(sentence.heads[d] == h)
    found, slot = [], 0
    for sentence in treebank:
        tags = [word.upos for word in sentence.words]
        for d in range(len(tags)):
            rates = {}
            for h in range(len(tags)):
                if h != d and d:
                    key = tags[d], tags[h], place_of(d, h)
                    rates[h] = (arcs[key] - int(sentence.heads[d] == h) + UNSEEN) / (pairs[key] + 2 * UNSEEN)
            total = sum(rates.values()) or 1.0
            given = int(sentence.heads[d])
            others = {heads[slot] for heads in proposed} - {given, -1}
            found.append((rates.get(given, 0.0) / total, sum(rates[h] for h in others) / total if d else 0.0))
            slot += 1
    return found


def frequencies(treebank: Treebank) -> list[float]:
    """Return for each slot the share of its label among the other arcs, with ``UNSEEN`` more of every label."""
    names = [None if head < 0 else label for head, label in zip(treebank.heads, treebank.deprels, strict=True)]
    counts = Counter(names)
    whole = max(1, len(names) - counts[None]) + UNSEEN * max(1, len(treebank.labels))
    return [0.0 if name is None else (counts[name] - 1 + UNSEEN) / whole for name in names]


def nuclei_with_neighbours(treebank: Treebank, most: int) -> dict[int, tuple[int, int]]:
    """Return the tokens of linked nuclei that vary beside the same neighbours: numbers of equal and of other ones."""
    seen: dict[tuple[str, ...], list[tuple[tuple[str, int] | None, int, int]]] = defaultdict(list)
    start = 0
    for sentence in treebank:
        forms = ["", *(word.form.lower() for word in sentence.words[1:]), ""]
        for i in range(1, len(forms) - 1):
            for j in range(i + 1, min(i + most, len(forms) - 2) + 1):
                analysis = None
                if sentence.heads[i] == j:
                    analysis = sentence.deprels[i], 0
                elif sentence.heads[j] == i:
                    analysis = sentence.deprels[j], 1
                seen[tuple(forms[i - 1 : j + 2])].append((analysis, start + i, start + j))
        start += len(sentence.words)
    found: dict[int, tuple[int, int]] = {}
    for occurrences in seen.values():
        counts = Counter(analysis for analysis, _, _ in occurrences)
        for analysis, i, j in occurrences:
            others = [n for other, n in counts.items() if other != analysis]
            if analysis is not None and others and max(others) >= counts[analysis]:
                token = (i, j)[analysis[1]]
                if max(others) > found.get(token, (0, 0))[1]:
                    found[token] = counts[analysis], max(others)
    return found
