"""The network of the tokenizer: two GRUs, one in each direction, that read characters; for each, what ends with it.

Written by the trainer of UDPipe 1 and read from its bytes. The scores are those of UDPipe up to the last bits: e to a
power is a polynomial here, so that they are the same on each machine.

References
----------
K. Cho et al., Learning phrase representations using RNN encoder-decoder, EMNLP 2014, section 2.3: the gates.
"""

from __future__ import annotations

import struct
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from treevote.kernels import Bytes, Floats, Ints, kernel, leaf
from treevote.models.learning.network.products import add_row
from treevote.models.text.tokenization.model_file import damaged

NOTHING, TOKEN, SENTENCE = 0, 1, 2  # outcomes: what ends with a character
SEGMENT = 50  # characters that the network reads at once; several spaces are one
LANES = 32  # the width of an array is a multiple of this, with zeros at its end: then its loops have no slow rest

# Bits of a character: a space, one that was met, of a category of punctuation, of category Po.
SPACE, KNOWN, PUNCTUATION, OTHER_PUNCTUATION = 1, 2, 4, 8

_SETTINGS = struct.Struct("<BHBBBI")
_ADDRESSES, _VERSION, _SIZES = 2, 1, (16, 24, 64)  # version of the addresses and of the network, and numbers of units
_CATEGORIES = "LuLlLtLmLoMnMcMeNdNlNoPcPdPsPePiPfPoSmScSkSoZsZlZpCcCfCsCoCn"  # a bit each, from the second on
_CANDIDATE, _RESET, _UPDATE = 0, 1, 2  # order of the matrices in the file, for the input, then for the state
_STOPS = {"\u3001": ",", "\u3002": "."}  # ideographic comma and full stop


class Weights(NamedTuple):
    """Weights, d units in each direction (forward, backward); row 0 is the space, row 1 an unknown character."""

    inputs: Floats  # (n_rows, 2, 3 * d): update, reset and candidate of the embedding of a character, with their biases
    gates: Floats  # (2, d, 2 * d): from the state to update and reset
    candidates: Floats  # (2, d, d): from the state to the candidate
    outputs: Floats  # (2, d, 3): from the state to the outcomes
    bias: Floats  # (3,)
    may_have_spaces: bool  # whether a token may have a space within


@dataclass(frozen=True, eq=False)
class CharacterNetwork:
    """The network, and the rows of the characters that it knows."""

    weights: Weights
    row_of: Mapping[str, int]
    usual: Mapping[int, str]  # by the bit of a category: its most frequent character in the training data
    _rows: Ints  # by code point, of the characters that were met
    _bits: Bytes

    @classmethod
    def from_bytes(cls, content: bytes) -> CharacterNetwork:
        """Return the network of a part of a file; ModelError if the trainer could not have written it."""
        settings = _SETTINGS.unpack_from(content.ljust(_SETTINGS.size, b"\0"))
        addresses, segment, may_have_spaces, version, size, n_characters = settings
        known = (addresses, segment, version) == (_ADDRESSES, SEGMENT, _VERSION)
        if not known or may_have_spaces > 1 or size not in _SIZES:
            raise damaged("the settings of its network are unknown")
        table = np.dtype([("code", "<u4"), ("embedding", "<f4", (size,))])
        lengths = n_characters * table.itemsize, 12 * 4 * (size + 1) * size, 2 * 4 * 3 * (size + 1)
        *starts, end = np.cumsum([_SETTINGS.size, *lengths]).tolist()
        if end >= len(content) or len(content) != end + 1 + 8 * content[end]:
            raise damaged("its network has another size")
        characters = np.frombuffer(content, table, n_characters, starts[0])
        matrices = np.frombuffer(content, "<f4", lengths[1] // 4, starts[1]).reshape(2, 6, size * (size + 1))
        outputs = np.frombuffer(content, "<f4", lengths[2] // 4, starts[2]).reshape(2, 3 * (size + 1))
        usual = np.frombuffer(content, "<u4", offset=end + 1).reshape(-1, 2)
        codes = np.concatenate([characters["code"], usual[:, 1]])
        weights = characters["embedding"], matrices, outputs
        if (codes > 0x10FFFF).any() or not all(np.isfinite(each).all() for each in weights):
            raise damaged("a number of its network is none that a training gives")
        row_of = {chr(code): row for row, code in enumerate(characters["code"].tolist(), 2)}
        space = characters["embedding"][row_of[" "] - 2] if " " in row_of else np.zeros(size)
        embeddings = np.vstack([space, np.zeros(size), characters["embedding"]]).astype(np.float32)
        return cls(
            _weights(embeddings, matrices, outputs, bool(may_have_spaces)),
            row_of | {" ": 0},
            {category: chr(code) for category, code in usual.tolist()},
            np.zeros(0x110000, np.int32),  # memory of a page is taken as soon as a character of it is met
            np.zeros(0x110000, np.uint8),
        )

    @classmethod
    def untrained(cls) -> CharacterNetwork:
        """Return a network of the usual size that knows no character."""
        size = 24
        n_weights = 12 * (size + 1) * size + 2 * 3 * (size + 1)
        return cls.from_bytes(_SETTINGS.pack(_ADDRESSES, SEGMENT, 0, _VERSION, size, 0) + bytes(4 * n_weights + 1))

    def read(self, text: str) -> tuple[Ints, Bytes]:
        """Return the row and the bits of each character of a text."""
        codes = np.frombuffer(text.encode("utf-32-le"), np.uint32)
        bits = self._bits[codes]
        if not bits.all():
            for code in np.unique(codes[bits == 0]).tolist():
                self._rows[code], self._bits[code] = self._meet(chr(code))
            bits = self._bits[codes]
        return self._rows[codes], bits

    def _meet(self, character: str) -> tuple[int, int]:
        """Return the row and the bits of a character; of an unknown one the row of one that is like it."""
        category = unicodedata.category(character)
        if category == "Zs" or character in "\t\r\n":
            return 0, KNOWN | SPACE
        bits = KNOWN | PUNCTUATION * (category[0] == "P") | OTHER_PUNCTUATION * (category == "Po")
        base = unicodedata.normalize("NFKD", character)[0]
        usual = self.usual.get(2 << _CATEGORIES.index(category) // 2, character)
        likes = (character, _STOPS.get(base, base), usual)
        return next((self.row_of[like] for like in likes if like in self.row_of), 1), bits


def _weights(embeddings: Floats, matrices: Floats, outputs: Floats, may_have_spaces: bool) -> Weights:
    """Return the weights of embeddings, and of the matrices of a file with the biases behind each."""
    size = embeddings.shape[1]
    width = -(-size // LANES) * LANES
    square, bias = matrices[:, :, : size * size].reshape(2, 6, size, size), matrices[:, :, size * size :]
    order = [_UPDATE, _RESET, _CANDIDATE]
    inputs = np.zeros((len(embeddings), 2, 3, width), np.float32)
    inputs[..., :size] = np.einsum("re,dgje->rdgj", embeddings, square[:, order]) + bias[:, order]
    state = np.zeros((2, 3, size, width), np.float32)
    state[..., :size] = square[:, 3:].transpose(0, 1, 3, 2)
    return Weights(
        inputs.reshape(len(embeddings), 2, 3 * width),
        np.concatenate([state[:, _UPDATE], state[:, _RESET]], axis=2),
        state[:, _CANDIDATE].copy(),
        np.ascontiguousarray(outputs[:, : 3 * size].reshape(2, 3, size).transpose(0, 2, 1)),
        outputs[0, 3 * size :].copy(),
        may_have_spaces,
    )


@kernel
def add_outcomes(rows: Ints, n: int, weights: Weights, scores: Floats) -> None:
    """Set the scores, shape (n, 3), of the outcomes of the first ``n`` characters, by their rows."""
    width = weights.candidates.shape[2]
    state, reset = np.empty(width, np.float32), np.empty(width, np.float32)
    gates, candidate = np.empty(2 * width, np.float32), np.empty(width, np.float32)
    one, two = np.float32(1), np.float32(2)
    for i in range(n):
        for outcome in range(3):
            scores[i, outcome] = weights.bias[outcome]
    for direction in range(2):
        inputs, output = weights.inputs[:, direction], weights.outputs[direction]
        for j in range(width):
            state[j] = 0
        for step in range(n):
            i = n - 1 - step if direction else step
            row = inputs[rows[i]]
            for j in range(2 * width):
                gates[j] = row[j]
            add_row(state, weights.gates[direction], 0, 2 * width, gates)
            for j in range(2 * width):
                gates[j] = sigmoid(gates[j])
            for j in range(width):
                reset[j] = gates[width + j] * state[j]
                candidate[j] = row[2 * width + j]
            add_row(reset, weights.candidates[direction], 0, width, candidate)
            for j in range(width):
                new = two * sigmoid(two * candidate[j]) - one  # the hyperbolic tangent
                state[j] = gates[j] * state[j] + (one - gates[j]) * new
            add_row(state, output, 0, 3, scores[i])


@leaf
def sigmoid(x: np.float32) -> np.float32:
    """Return 1 / (1 + e^-x): the Taylor series of e^(-x / 1024), and that ten times squared."""
    t = np.float64(x) * (-1 / 1024)
    e = 1 + t * (1 + t * (1 / 2 + t * (1 / 6 + t * (1 / 24 + t * (1 / 120)))))
    e = e * e * (e * e)  # to the power of 4
    e = e * e * (e * e)
    e = e * e * (e * e)
    e = e * e * (e * e)
    e = e * e * (e * e)
    return np.float32(np.divide(1, 1 + e))
