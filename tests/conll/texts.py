"""Texts in CoNLL-U, drawn at random, whole and damaged."""

from __future__ import annotations

from hypothesis import strategies as st

from treevote.conll.chunks import Chunk
from treevote.corpus.treebank import Format, Treebank

ODD = "ab é漢😀\u2028\u0085\u00a0\x0c\x0b\x1c\x00\r#_|=.:-0"
columns = st.text(st.sampled_from(ODD), min_size=1, max_size=4)
comments = st.builds("#{}".format, st.text(st.sampled_from(ODD), max_size=6)) | st.sampled_from(
    ["# sent_id = s1", "# text = a b", "# text = a b", "#", "# newpar"]
)
blank_lines = st.sampled_from(["", "", "", " ", "\t", "\r"])


@st.composite
def heads(draw: st.DrawFn, n: int) -> list[int]:
    """Draw a tree: each token, in a random order, is put under one before it or under ROOT."""
    order = draw(st.permutations(range(1, n + 1)))
    tree = dict(zip(order, (draw(st.sampled_from([0, *order[:i]])) for i in range(n)), strict=True))
    return [tree[token] for token in range(1, n + 1)]


@st.composite
def sentences(draw: st.DrawFn) -> list[str]:
    """Draw the lines of a good CoNLL-U sentence, with comments, ranges and empty nodes."""
    n = draw(st.integers(1, 6))
    lines = draw(st.lists(comments, max_size=2))
    range_end = 0
    for token, head in enumerate(draw(heads(n)), 1):
        extra = draw(st.integers(0, 9))
        if extra == 0 and token > range_end:
            range_end = draw(st.integers(token, n))
            lines.append("\t".join([f"{token}-{range_end}", *(draw(columns) for _ in range(9))]))
        if extra == 1:
            lines.append("\t".join([f"{token - 1}.1", *(draw(columns) for _ in range(9))]))
        if extra == 2:
            lines.append(draw(comments))
        words = [draw(columns) for _ in range(5)]
        lines.append("\t".join([str(token), *words, str(head), *(draw(columns) for _ in range(3))]))
    return lines


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    """Draw a good CoNLL-U file with at least one sentence."""
    blocks = draw(st.lists(sentences() | st.lists(comments, min_size=1, max_size=2), max_size=4))
    blocks.insert(draw(st.integers(0, len(blocks))), draw(sentences()))
    lines = draw(st.lists(blank_lines, max_size=1))
    for block in blocks:
        lines += [*block, *draw(st.lists(blank_lines, min_size=1, max_size=2))]
    end = draw(st.sampled_from(["\n", "\r\n"]))
    text = end.join(lines) + draw(st.sampled_from(["", end, end + end]))
    return (draw(st.sampled_from(["", "\ufeff"])) + text).encode()


NASTY = [
    "",
    "0",
    "1",
    "2",
    "3",
    "01",
    "9",
    "_",
    "1-2",
    "2-2",
    "2-9",
    "0.1",
    "1.1",
    "0.0",
    "1.x",
    "x",
    "99999999999",
]
NASTY += ["\u0663", "+1", "a\tb", "\udcff", "\n", "\n\n", "\n#", " "]


@st.composite
def damaged_texts(draw: st.DrawFn) -> bytes:
    """Draw a file in which some columns, often the ones that matter, were changed or dropped."""
    lines = [line.split("\t") for line in draw(texts()).decode().removeprefix("\ufeff").split("\n")]
    whole = [line for line in lines if len(line) == 10]
    for _ in range(draw(st.integers(1, 3))):
        line = draw(st.sampled_from(whole))
        column = min(draw(st.sampled_from([0, 0, 0, 1, 6, 6, 7, 9])), len(line) - 1)
        line[column : column + 1] = [draw(st.sampled_from(NASTY))] * draw(st.sampled_from([1, 1, 1, 0]))
    return "\n".join(map("\t".join, lines)).encode("utf-8", "surrogateescape")


def token_line(number: object, head: object = 0, deprel: str = "root", misc: str = "_") -> str:
    return f"{number}\tform\tlemma\tNOUN\tNN\t_\t{head}\t{deprel}\t_\t{misc}\n"


def chunk_of(text: bytes | str, format: Format = "conllu") -> Chunk:
    return Chunk("f.conllu", 1, 1, text.encode() if isinstance(text, str) else text, format)


def plain(treebank: Treebank) -> list[tuple[list[tuple[str, ...]], list[int], list[str]]]:
    return [([*s.words[1:]], s.heads[1:].tolist(), [*s.deprels[1:]]) for s in treebank.sentences()]
