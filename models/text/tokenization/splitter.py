"""A text split into tokens and sentences, as the network and the rules of a tokenizer tell.

References
----------
M. Straka and J. Straková, Tokenizing, POS tagging, lemmatizing and parsing UD 2.0 with UDPipe, CoNLL 2017 shared task,
section 3.1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bytes, Floats, Ints, Longs, kernel
from treevote.models.text.tokenization import model_file
from treevote.models.text.tokenization.addresses import address_end, runs
from treevote.models.text.tokenization.multiword import MultiwordRules, Words
from treevote.models.text.tokenization.network import (
    NOTHING,
    OTHER_PUNCTUATION,
    PUNCTUATION,
    SEGMENT,
    SENTENCE,
    SPACE,
    TOKEN,
    CharacterNetwork,
    Weights,
    add_outcomes,
)

MAY_BEGIN_ADDRESS = 16  # bit of a character, beside those of `treevote.models.text.tokenization.network`
OVERLAP = 5  # characters at the end of a full window that the next one reads again, since it knows what follows them

# Number of tokens from which on a sentence ends with a mark of category Po, with any punctuation, with any token.
LONG, LONGER, LONGEST = 400, 450, 500

# Where a split stands: the next character, the next outcome of the window and their number, the number of all tokens
# and of those in sentences that have ended.
PLACE, NEXT, LENGTH, N_TOKENS, FIRST = range(5)


class Token(NamedTuple):
    """A token, as ``text[start:end]``, and the words of a multiword token; none if it is one word."""

    start: int
    end: int
    words: Words = ()


@dataclass(frozen=True, eq=False)
class Splitter:
    """A tokenizer: its network and its rules."""

    network: CharacterNetwork
    rules: MultiwordRules

    @classmethod
    def from_bytes(cls, data: bytes) -> Splitter:
        """Return a tokenizer of UDPipe 1; ModelError if its trainer could not have written the bytes."""
        network, rules = model_file.parts(data)
        return cls(CharacterNetwork.from_bytes(network), MultiwordRules.from_bytes(rules))

    def sentences(self, text: str) -> list[list[Token]]:
        """Return the tokens of each sentence of a paragraph as `treevote.conll.plain_text.plain` gives it."""
        rows, bits = self.network.read(text)
        for start, end in runs(text):
            bits[start:end] |= MAY_BEGIN_ADDRESS
        state, window = np.zeros(5, np.int64), np.empty((SEGMENT + 1, 2), np.int64)
        tokens = np.empty((len(text), 3), np.int64)
        end = -1
        while split(rows, bits, self.network.weights, window, state, tokens, end):
            end = address_end(text, int(state[PLACE]))
        sentences, sentence = list[list[Token]](), list[Token]()
        for start, end, is_last in tokens[: state[N_TOKENS]].tolist():
            sentence.append(Token(start, end, self.rules.words(text[start:end])))
            if is_last:
                sentences.append(sentence)
                sentence = []
        return sentences


@kernel
def split(rows: Ints, bits: Bytes, weights: Weights, window: Longs, state: Longs, tokens: Longs, address: int) -> bool:
    """Find tokens up to the next place where an address may begin; return whether there is one.

    ``rows`` and ``bits`` are those of `CharacterNetwork.read`, the bits with `MAY_BEGIN_ADDRESS`. ``window``, shape
    (SEGMENT + 1, 2), has the place of each character that the network has read, several spaces as one, and what ends
    with it; ``state``, shape (5,), zeros at first, where the split stands: both are for the next call. ``tokens``,
    shape (n_characters, 3), receive start, end, and whether a sentence ends there. ``address`` is the end of the
    address at the place where the last call stopped, that place if there is none, else -1.
    """
    n = rows.size
    place, following, length, n_tokens, first = state[PLACE], state[NEXT], state[LENGTH], state[N_TOKENS], state[FIRST]
    scores, characters = np.empty((SEGMENT, 3), np.float32), np.empty(SEGMENT, np.int32)
    if n_tokens == 0 and address < 0:
        while place < n and bits[place] & SPACE:
            place += 1
    stops = False
    while place < n:
        while place < n and bits[place] & SPACE:
            if following == length:
                following, length = 0, read_window(rows, bits, place, weights, characters, scores, window)
            following += 1
            place = window[following, 0]
        if place == n:
            break
        start, ends = place, False
        if bits[place] & MAY_BEGIN_ADDRESS and address < 0:
            stops = True
            break
        if address > place:
            place = address
            while following < length and window[following, 0] < place:
                ends |= window[following, 1] == SENTENCE
                following += 1
        else:
            outcome = NOTHING
            while outcome == NOTHING and place < n:
                if following == length:
                    following, length = 0, read_window(rows, bits, place, weights, characters, scores, window)
                following, outcome = following + 1, window[following, 1]
                place = window[following, 0]
            ends = outcome == SENTENCE
        address = -1
        end = place
        while bits[end - 1] & SPACE:
            end -= 1
        tokens[n_tokens, 0], tokens[n_tokens, 1] = start, end
        n_tokens += 1
        size, last = n_tokens - first, bits[start]
        ends |= (
            size >= LONGEST or (size >= LONGER and last & PUNCTUATION) or (size >= LONG and last & OTHER_PUNCTUATION)
        )
        tokens[n_tokens - 1, 2] = ends
        if ends:
            first = n_tokens
    if not stops and n_tokens:
        tokens[n_tokens - 1, 2] = True
    state[PLACE], state[NEXT], state[LENGTH], state[N_TOKENS], state[FIRST] = place, following, length, n_tokens, first
    return stops


@kernel
def read_window(
    rows: Ints, bits: Bytes, place: int, weights: Weights, characters: Ints, scores: Floats, window: Longs
) -> int:
    """Read the characters from a place on; return the number of outcomes that hold, as the network saw what follows."""
    n, length, offset = rows.size, 0, place
    while offset < n and length < SEGMENT:
        window[length, 0] = offset
        characters[length] = rows[offset]
        while bits[offset] & SPACE and offset + 1 < n and bits[offset + 1] & SPACE:
            offset += 1
        offset += 1
        length += 1
    window[length, 0] = offset
    size = length
    if length < SEGMENT and not bits[n - 1] & SPACE:
        characters[length] = 0  # a space ends the text
        size += 1
    add_outcomes(characters, size, weights, scores)
    for i in range(length):
        best = TOKEN if scores[i, TOKEN] > scores[i, NOTHING] else NOTHING
        window[i, 1] = SENTENCE if scores[i, SENTENCE] > scores[i, best] else best
    for i in range(length - 1):
        if bits[window[i + 1, 0]] & SPACE:  # what the network says of a space holds for the character before it
            if window[i + 1, 1] == SENTENCE or i + 2 == length:
                window[i, 1] = SENTENCE
            elif window[i, 1] == NOTHING and (not weights.may_have_spaces or window[i + 1, 1] == TOKEN):
                window[i, 1] = TOKEN
    if length == SEGMENT:
        length -= OVERLAP
        while length > SEGMENT // 2:
            length -= 1
            if window[length, 1] != NOTHING:
                break
    return length
