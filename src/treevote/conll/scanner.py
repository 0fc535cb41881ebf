"""Positions of blocks, tokens and columns in the bytes of a CoNLL text, found for all lines at once.

A block that is cleared here needs no second look; any other (``suspect``) is checked by
`treevote.conll.validation.sentence_faults`. Lines and blocks are counted from 0, positions are bytes.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from treevote.conll.validation import MAX_DIGITS, MAX_TOKENS, Trees
from treevote.corpus.source import BLANK
from treevote.corpus.treebank import Format
from treevote.kernels import Bools, Bytes, Longs

_LINE_FEED, _RETURN, _TAB, _HASH, _UNDERSCORE, _ZERO, _DASH, _DOT = b"\n\r\t#_0-."
_BLANK = np.frombuffer(BLANK.encode(), np.uint8)


class Blocks(NamedTuple):
    """The stretches of a text between blank lines: n_blocks with ``first``, ``last``, ``is_sentence``.

    ``last`` is the line after the last, blank or the end; ``is_sentence`` is false where all lines are comments.
    ``line_start`` and ``line_end`` bound each line, without its line feed. ``content`` has the lines that are neither
    blank nor comments, in order, ``content_block`` the block of each.
    """

    first: Longs
    last: Longs
    is_sentence: Bools
    line_start: Longs
    line_end: Longs
    content: Longs
    content_block: Longs


class Tokens(NamedTuple):
    """The tokens of a text, in order; the facts of a suspect block may be wrong.

    ``suspect`` and ``n_tokens`` have shape (n_blocks,); a block that is not suspect has no fault. All others have an
    entry for each token: block and line, the stretch of columns 2 to 6 (FORM to FEATS), HEAD (-1 if unknown or
    ignored), and the stretch of column 8 (DEPREL).
    """

    suspect: Bools
    n_tokens: Longs
    block: Longs
    line: Longs
    word_start: Longs
    word_end: Longs
    head: Longs
    deprel_start: Longs
    deprel_end: Longs


def find_blocks(text: bytes) -> Blocks:
    r"""Cut a text, without byte order mark, at its blank lines.

    >>> blocks = find_blocks(b"# c\n\n# d\n1\ta\n \t\n1\tb")
    >>> blocks.first.tolist(), blocks.last.tolist(), blocks.is_sentence.tolist()
    ([0, 2, 5], [1, 4, 6], [False, True, True])
    """
    codes = np.frombuffer(text + b"\n", np.uint8)
    line_end = np.flatnonzero(codes == _LINE_FEED)
    line_start = np.append(0, line_end[:-1] + 1)
    initial = codes[line_start]
    blank = initial == _LINE_FEED
    for line in np.flatnonzero(np.isin(initial, _BLANK)).tolist():
        blank[line] = not text[line_start[line] : line_end[line]].strip(BLANK.encode())
    blanks = np.flatnonzero(blank)
    first, last = np.append(0, blanks + 1), np.append(blanks, len(blank))
    first, last = first[first < last], last[first < last]
    content = np.flatnonzero(~blank & (initial != _HASH))
    content_block = np.searchsorted(first, content, "right") - 1
    is_sentence = np.bincount(content_block, minlength=len(first)) > 0
    return Blocks(first, last, is_sentence, line_start, line_end, content, content_block)


def find_tokens(text: bytes, blocks: Blocks, format: Format, trees: Trees) -> Tokens:
    """Find the tokens in the blocks of a text, and clear the blocks without fault (`sentence_faults`)."""
    codes = np.frombuffer(text + b"\n" * MAX_DIGITS, np.uint8)
    n_blocks = len(blocks.first)
    suspect = _blocks_with_returns(text, codes, blocks)
    line, block = blocks.content, blocks.content_block
    tabs = np.flatnonzero(codes == _TAB)
    tab = np.searchsorted(tabs, blocks.line_start[line])  # the first of each line
    ten = np.searchsorted(tabs, blocks.line_end[line]) - tab == 9
    suspect[block[~ten]] = True
    line, block, tab = line[ten], block[ten], tab[ten]

    number = _decimals(codes, blocks.line_start[line], tabs[tab])
    is_token = number > 0
    n_tokens = np.bincount(block[is_token], minlength=n_blocks)
    earlier = np.cumsum(n_tokens) - n_tokens  # tokens in the blocks before each block
    expected = 1 + np.cumsum(is_token) - is_token - earlier[block]
    other = ~is_token
    start, end = blocks.line_start[line[other]], tabs[tab[other]]
    fits = _range_or_empty_node(codes, start, end, block[other], expected[other], n_tokens)
    suspect[block[other][~fits | (format == "conllx")]] = True
    suspect[block[is_token & (number != expected)]] = True
    suspect[blocks.is_sentence & (n_tokens == 0) | (n_tokens > MAX_TOKENS)] = True

    line, block, tab = line[is_token], block[is_token], tab[is_token]
    suspect[block[tabs[tab + 1] - tabs[tab] == 1]] = True  # no FORM
    head = np.full(len(line), -1, np.int64)
    if trees != "ignored":
        start, end = tabs[tab + 5] + 1, tabs[tab + 6]
        unknown = (end - start == 1) & (codes[start] == _UNDERSCORE)
        head = _decimals(codes, start, end)
        wrong = ((head < 0) & ~unknown) | (head > n_tokens[block]) | (tabs[tab + 7] - end == 1)  # or no DEPREL
        if trees not in ("optional", "labels"):
            above = np.where(wrong | (head <= 0), len(head), earlier[block] + head - 1)
            wrong |= ~_reaches_root(above, int(n_tokens.max(initial=0)))
        if trees in ("required", "some"):
            wrong |= unknown
        elif trees == "partial-rooted":
            suspect[np.bincount(block[head == 0], minlength=n_blocks) > 1] = True
        suspect[block[wrong]] = True
    return Tokens(suspect, n_tokens, block, line, tabs[tab] + 1, tabs[tab + 5], head, tabs[tab + 6] + 1, tabs[tab + 7])


def _blocks_with_returns(text: bytes, codes: Bytes, blocks: Blocks) -> Bools:
    """Tell which blocks have a carriage return that no line feed follows."""
    found = np.zeros(len(blocks.first), np.bool_)
    if len(found) and b"\r" in text and text.count(b"\r") > text.count(b"\r\n"):
        alone = np.flatnonzero((codes[:-1] == _RETURN) & (codes[1:] != _LINE_FEED))
        line = np.searchsorted(blocks.line_start, alone, "right") - 1
        block = np.searchsorted(blocks.first, line, "right") - 1
        found[block[(block >= 0) & (line < blocks.last[block])]] = True
    return found


def _decimals(codes: Bytes, start: Longs, end: Longs) -> Longs:
    """Return the numbers written in decimal; -1 for anything else, a leading zero or too many digits."""
    width = end - start
    value = np.zeros(len(start), np.int64)
    valid = (width > 0) & (width <= MAX_DIGITS) & ((codes[start] != _ZERO) | (width == 1))
    for i in range(min(MAX_DIGITS, int(width.max(initial=0)))):
        within = i < width
        digit = codes[start + i] - np.uint8(_ZERO)  # wraps around, so all else is 10 or more
        valid &= ~within | (digit < 10)
        value = np.where(within, value * 10 + digit, value)
    return np.where(valid, value, -1)


def _range_or_empty_node(
    codes: Bytes, start: Longs, end: Longs, block: Longs, expected: Longs, n_tokens: Longs
) -> Bools:
    """Tell which ids are ranges that begin with the expected token, or empty nodes before it."""
    signs = np.append(np.flatnonzero((codes == _DASH) | (codes == _DOT)), len(codes) - 1)
    sign = signs[np.searchsorted(signs, start)]
    sign = np.where(sign < end, sign, start)
    left, right = _decimals(codes, start, sign), _decimals(codes, sign + 1, end)
    is_range = codes[sign] == _DASH
    good_range = (left == expected) & (right >= left) & (right <= n_tokens[block])
    good: Bools = np.where(is_range, good_range, (left == expected - 1) & (right > 0))
    ranges = np.flatnonzero(is_range)
    overlap = (block[ranges[1:]] == block[ranges[:-1]]) & (left[ranges[1:]] <= right[ranges[:-1]])
    good[ranges[1:][overlap]] = False
    return good


def _reaches_root(above: Longs, longest: int) -> Bools:
    """Tell which tokens are under ROOT, whose index is ``len(above)``, by doubling the steps upward."""
    root = len(above)
    above = np.append(above, root)
    for _ in range(longest.bit_length()):
        above = above[above]
    return np.asarray(above[:root] == root)
