"""A small grammar: a treebank that a parser can learn in a second."""

from __future__ import annotations

import numpy as np

from treevote.corpus.sentence import Word
from treevote.corpus.treebank import Treebank

NOUNS = tuple(
    Word(f"{stem}{end}", stem, "NOUN", f"N{end}", f"Number={number}")
    for stem in ("dog", "cat", "fish", "tree")
    for end, number in (("", "Sing"), ("s", "Plur"))
)
VERBS = tuple(Word(form, form, "VERB", "V", "Tense=Past") for form in ("saw", "liked", "found"))
DET = Word("the", "the", "DET", "_", "_")
ADJECTIVES = tuple(Word(form, form, "ADJ", "A", "_") for form in ("old", "big"))
PREPOSITION = Word("near", "near", "ADP", "P", "_")
STOP = Word(".", ".", "PUNCT", "_", "_")
ADVERB = Word("today", "today", "ADV", "_", "_")


def toy_treebank(n_sentences: int, seed: int, *, crossing: bool = False) -> Treebank:
    """Return sentences such as "the old dog saw cats near the tree ." with one root each.

    With ``crossing`` every fourth sentence has a phrase that belongs to the subject after the verb: not projective.
    """
    rng = np.random.default_rng(seed)
    sentences = []
    for number in range(n_sentences):
        words: list[Word] = []
        heads: list[int] = []
        deprels: list[str] = []

        def add(word: Word, deprel: str) -> int:
            words.append(word)  # noqa: B023
            heads.append(0)  # noqa: B023
            deprels.append(deprel)  # noqa: B023
            return len(words)  # noqa: B023

        def pick(choices: tuple[Word, ...]) -> Word:
            return choices[int(rng.integers(len(choices)))]

        def noun_phrase(deprel: str, depth: int) -> int:
            before = [add(DET, "det")] if rng.random() < 0.6 else []
            before += [add(pick(ADJECTIVES), "amod")] if rng.random() < 0.3 else []
            noun = add(pick(NOUNS), deprel)
            for token in before:
                heads[token - 1] = noun  # noqa: B023
            if depth and rng.random() < 0.3:
                prepositional_phrase(noun, depth - 1)
            return noun

        def prepositional_phrase(head: int, depth: int) -> None:
            preposition = add(PREPOSITION, "case")
            noun = noun_phrase("nmod", depth)
            heads[preposition - 1], heads[noun - 1] = noun, head  # noqa: B023

        subject = noun_phrase("nsubj", 1)
        verb = add(pick(VERBS), "root")
        heads[subject - 1] = verb
        if crossing and number % 4 == 3:
            prepositional_phrase(subject, 0)
        elif rng.random() < 0.7:
            heads[noun_phrase("obj", 1) - 1] = verb
        if rng.random() < 0.3:
            heads[add(ADVERB, "advmod") - 1] = verb
        heads[add(STOP, "punct") - 1] = verb
        sentences.append((words, heads, deprels))
    return Treebank.of(sentences, name="toy")
