"""A treebank with errors of every kind put into it, which is still legal CoNLL-U over the same text."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np


@dataclass(eq=False)
class Node:
    """A word: columns 2 to 6, and its head, None for ROOT."""

    columns: list[str]
    deprel: str
    head: Node | None = None


@dataclass(eq=False)
class Token:
    """The surface in the text, and its words; a plain word has no surface of its own."""

    surface: str | None
    words: list[Node] = field(default_factory=list)

    @property
    def form(self) -> str:
        """The characters of the token."""
        return self.words[0].columns[0] if self.surface is None else self.surface


def plant(text: str, seed: int, rate: float = 0.05, segmentation: float = 0.03) -> str:
    """Return a CoNLL-U text with errors in about that share of the words, for each kind of error."""
    rng = np.random.default_rng(seed)
    sentences = [sentence_of(block) for block in text.split("\n\n") if block.strip()]
    for tokens in sentences:
        segment(tokens, rng, segmentation)
        words = [word for token in tokens for word in token.words]
        attach(words, rng, rate)
        for word in words:
            mutate(word, rng, rate)
    whole: list[list[Token]] = []
    for tokens in sentences:
        if whole and rng.random() < segmentation:
            root = next(word for token in whole[-1] for word in token.words if word.head is None)
            for token in tokens:
                for word in token.words:
                    word.head = root if word.head is None else word.head
            whole[-1] += tokens
        else:
            whole.append(tokens)
    return "".join(map(block_of, whole))


def sentence_of(block: str) -> list[Token]:
    """Read a sentence; comments and empty nodes are left out."""
    tokens: list[Token] = []
    words: list[Node] = []
    heads: list[int] = []
    end = 0
    for line in block.split("\n"):
        columns = line.split("\t")
        if line.startswith("#") or not line or "." in columns[0]:
            continue
        if "-" in columns[0]:
            end = int(columns[0].split("-")[1])
            tokens.append(Token(columns[1]))
            continue
        words.append(Node(columns[1:6], columns[7]))
        heads.append(int(columns[6]))
        if len(words) <= end:
            tokens[-1].words.append(words[-1])
        else:
            tokens.append(Token(None, [words[-1]]))
    for word, head in zip(words, heads, strict=True):
        word.head = words[head - 1] if head else None
    return tokens


def segment(tokens: list[Token], rng: np.random.Generator, rate: float) -> None:
    """Split and join words and tokens, and change what is in a range."""
    i = 0
    while i < len(tokens):
        token = tokens[i]
        form = token.form
        kind = int(rng.integers(6)) if rng.random() < rate else -1
        cut = int(rng.integers(1, len(form))) if len(form) > 1 else 0
        if kind == 0 and cut and form[:cut].strip() and form[cut:].strip():  # two tokens
            tokens[i : i + 1] = [Token(None, [word]) for word in halves(token, cut)]
        elif kind == 1 and cut:  # a range over two halves
            tokens[i] = Token(form, halves(token, cut))
        elif kind == 2 and i + 1 < len(tokens):  # two tokens as one word
            joined = form + tokens[i + 1].form
            tokens[i : i + 2] = [Token(None, [merged([*token.words, *tokens[i + 1].words], joined)])]
        elif kind == 3 and i + 1 < len(tokens):  # two tokens as a range
            words = [*token.words, *tokens[i + 1].words]
            tokens[i : i + 2] = [Token(form + tokens[i + 1].form, words)]
        elif kind == 4:  # a range as one word
            tokens[i] = Token(None, [merged(token.words, form)])
        elif kind == 5:  # a word more within the token
            word = Node([*"zXxX", "_"], "dep", token.words[0])
            tokens[i] = Token(form, [*token.words, word] if rng.random() < 0.5 else [word, *token.words])
        i += 1
    roots = [word for token in tokens for word in token.words if word.head is None]
    for word in roots[1:]:
        word.head = roots[0]


def halves(token: Token, cut: int) -> list[Node]:
    """Make two words of a token, the second under the first."""
    form = token.form
    first = merged(token.words, form[:cut])
    return [first, Node([form[cut:], *first.columns[1:]], "goeswith", first)]


def merged(words: list[Node], form: str) -> Node:
    """Make one word of several, in place of the one that hangs highest; the others stay as what points to it."""
    inside = set(map(id, words))
    top = next(word for word in words if word.head is None or id(word.head) not in inside)
    for word in words:
        if word is not top:
            word.columns, word.deprel, word.head = [form], "", top  # a mere pointer
    top.columns = [form, *top.columns[1:]]
    return top


def attach(words: list[Node], rng: np.random.Generator, rate: float) -> None:
    """Give words another head without making a cycle."""
    alive = set(map(id, words))
    above: Node | None
    for word in words:
        while word.head is not None and id(word.head) not in alive:
            word.head = word.head.head
        seen, above = {id(word)}, word.head
        while above is not None and id(above) not in seen:
            seen.add(id(above))
            above = above.head
        if above is not None:  # words that were joined have closed a cycle
            word.head = None
    roots = [word for word in words if word.head is None]
    for word in roots[1:]:
        word.head = roots[0]
    for word in words:
        if word.head is None or rng.random() >= rate:
            continue
        other = words[int(rng.integers(len(words)))]
        above = other
        while above is not None and above is not word:
            above = above.head
        if above is None:
            word.head = other


def mutate(word: Node, rng: np.random.Generator, rate: float) -> None:
    """Change label, lemma, tags and features."""
    labels = "nsubj", "obj", "obl:arg", "case", "det", "punct", "aux:pass", "cc", "dobj", "_", "conj", "mark"
    if word.head is not None and rng.random() < rate:
        word.deprel = str(rng.choice(labels))
    for column, values in enumerate(
        (("x", "_", "be"), ("NOUN", "VERB", "_"), ("XX", "_"), ("_", "Case=Nom", "InfForm=1", "Number=Sing|Case=Acc")),
        1,
    ):
        if rng.random() < rate:
            word.columns[column] = str(rng.choice(values))


def block_of(tokens: list[Token]) -> str:
    """Write a sentence."""
    words = [word for token in tokens for word in token.words]
    position = {id(word): i for i, word in enumerate(words, 1)}
    lines = []
    for token in tokens:
        first = position[id(token.words[0])]
        if token.surface is not None:
            lines.append("\t".join([f"{first}-{first + len(token.words) - 1}", token.surface, *"_" * 8]))
        for word in token.words:
            head = "0" if word.head is None else str(position[id(word.head)])
            lines.append("\t".join([str(position[id(word)]), *word.columns, head, word.deprel, "_", "_"]))
    return "\n".join(lines) + "\n\n"
