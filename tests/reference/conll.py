"""The slow twin of the CoNLL reader: one line after the other, with nothing but strings."""

from __future__ import annotations

from typing import NamedTuple

from treevote.conll.validation import Trees, sentence_faults
from treevote.corpus.source import BLANK
from treevote.corpus.treebank import Format


class Block(NamedTuple):
    """Lines between blank lines: a sentence, or a fault, or neither where all lines are comments."""

    first_line: int
    words: list[tuple[str, ...]]
    heads: list[int]
    deprels: list[str]
    fault: tuple[int, str] | None


def read_blocks(text: bytes, format: Format, trees: Trees) -> list[Block]:
    """Read all blocks of a text, without byte order mark."""
    lines = [line.decode("utf-8", "surrogateescape") for line in text.split(b"\n")]
    blocks, start = [], 0
    for end, line in enumerate([*lines, ""]):
        if line.strip(BLANK):
            continue
        if start < end:
            blocks.append(_read_block(start, lines[start:end], format, trees))
        start = end + 1
    return blocks


def _read_block(first_line: int, lines: list[str], format: Format, trees: Trees) -> Block:
    block = Block(first_line, [], [], [], None)
    fault = next(sentence_faults(lines, format, trees), None)
    if fault is not None:
        return block._replace(fault=(first_line + fault.line, fault.problem))
    for line in lines:
        columns = line.split("\t")
        if columns[0].isdecimal():
            known = trees != "ignored" and columns[6] != "_"
            block.words.append(tuple(columns[1:6]))
            block.heads.append(int(columns[6]) if known else -1)
            block.deprels.append(columns[7] if known else "")
    return block
