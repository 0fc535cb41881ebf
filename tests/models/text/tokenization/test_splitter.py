"""Laws of the splitter: it finds the tokens, words and sentences that the library of its trainer finds."""

from __future__ import annotations

import struct
import unicodedata
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from tests.models.text.tokenization.test_forged_tokenizer import NO_RULES, built, parts, rule
from tests.models.text.tokenization.texts import texts
from tests.reference.toy_text import toy_tokenizer
from tests.reference.udpipe_splitter import sentences
from treevote.conll.plain_text import plain
from treevote.kernels import Kernel
from treevote.models.text.tokenization.addresses import address_end
from treevote.models.text.tokenization.multiword import MultiwordRules
from treevote.models.text.tokenization.network import SEGMENT, CharacterNetwork, add_outcomes
from treevote.models.text.tokenization.splitter import Splitter, Token, split

SIZES = 16, 24, 64
LETTERS = "aB \u00a0.?,\u3002\u3000(1\u00e9\u03a3\u0130\ufb01\u4e2d"
RULES = (
    b"\x02\0\0\0" + rule(b"ab", b"a", b"b") + rule("\u03c3.".encode(), "\u03c3".encode(), "\u00e9b".encode()),
    b"\x02\0\0\0" + rule(b"ba", b"", b"ba") + rule(b"b", b"b", b"x"),
)


@pytest.fixture(scope="module", params=[(16, 0), (24, 1), (64, 0)])
def forged(request: pytest.FixtureRequest) -> bytes:
    """Return a tokenizer with random weights."""
    size, spaces = request.param
    rng = np.random.default_rng(size)
    characters = [character for character in LETTERS if character not in "(\u03a3\u3002"]
    table = np.zeros(len(characters), np.dtype([("code", "<u4"), ("embedding", "<f4", (size,))]))
    table["code"], table["embedding"] = list(map(ord, characters)), rng.normal(size=(len(characters), size))
    weights = rng.normal(scale=2 / size**0.5, size=12 * (size + 1) * size + 2 * 3 * (size + 1)).astype("<f4")
    usual = struct.pack("<4I", 1 << 18, ord("."), 1 << 5, ord("\u4e2d"))  # of categories Po and Lo
    network = struct.pack("<BHBBBI", 2, SEGMENT, spaces, 1, size, len(table)) + table.tobytes() + weights.tobytes()
    return built(network + b"\x02" + usual, b"".join(RULES))


def stretch(text: str) -> str:
    """Return a text as the splitter gets it: no blank line is in it."""
    return plain(text).replace("\n", " \n ").replace("\r", " \r ")


@settings(max_examples=60)
@given(st.text(LETTERS, max_size=150))
def test_random_networks_split_as_the_library_does(forged: bytes, text: str) -> None:
    assert Splitter.from_bytes(forged).sentences(text) == sentences(forged, text)


@settings(max_examples=100)
@given(texts | st.text("a1.:/@-()%'!\u00e9\u4e2d \u2019", max_size=60))
def test_a_trained_network_splits_as_the_library_does(text: str) -> None:
    data = toy_tokenizer().data.tobytes()
    assert Splitter.from_bytes(data).sentences(stretch(text)) == sentences(data, stretch(text))


def test_a_long_sentence_ends_with_punctuation_else_with_any_token(forged: bytes) -> None:
    splitter = Splitter.from_bytes(forged)
    for text in ("a b " * 700, "a b c . " * 300, "(a b c " * 300, "a.aa/b " * 1200):
        assert splitter.sentences(text) == sentences(forged, text)


@pytest.mark.parametrize(("text", "lengths"), [("dog " * 1300, [500, 500, 300]), ("dog - " * 700, [450, 450, 450, 50])])
def test_the_longest_sentences_have_their_full_number_of_tokens(text: str, lengths: list[int]) -> None:
    assert [len(each) for each in Splitter.from_bytes(toy_tokenizer().data.tobytes()).sentences(text)] == lengths


@pytest.mark.parametrize("size", SIZES)
def test_scores_are_those_of_two_gated_recurrent_units(size: int) -> None:
    rng = np.random.default_rng(size)
    embeddings = rng.normal(size=(3, size)).astype("<f4")
    table = b"".join(struct.pack("<I", code) + row.tobytes() for code, row in zip(b"abc", embeddings, strict=True))
    matrices = rng.normal(size=(2, 6, size + 1, size)).astype("<f4")
    outputs = rng.normal(size=(2, size + 1, 3)).astype("<f4")
    stored = outputs[:, :size].transpose(0, 2, 1).reshape(2, -1), outputs[:, size]
    content = struct.pack("<BHBBBI", 2, SEGMENT, 0, 1, size, 3) + table + matrices.tobytes()
    network = CharacterNetwork.from_bytes(content + np.hstack(stored).tobytes() + b"\0")
    rows, _ = network.read("abcab?")
    scores = np.empty((len(rows), 3), np.float32)
    add_outcomes(rows, len(rows), network.weights, scores)

    inputs = np.vstack([embeddings[[0, 1, 2, 0, 1]], np.zeros(size)])
    expected = np.tile(outputs[0, size].astype(float), (len(rows), 1))
    for direction, order in ((0, range(6)), (1, range(5, -1, -1))):
        state, (x, x_reset, x_update, h, h_reset, h_update) = np.zeros(size), matrices[direction].astype(float)
        for i in order:
            update = sigmoid(x_update[:size] @ inputs[i] + x_update[size] + h_update[:size] @ state)
            reset = sigmoid(x_reset[:size] @ inputs[i] + x_reset[size] + h_reset[:size] @ state)
            candidate = np.tanh(x[:size] @ inputs[i] + x[size] + h[:size] @ (reset * state))
            state = update * state + (1 - update) * candidate
            expected[i] += state @ outputs[direction, :size]
    np.testing.assert_allclose(scores, expected, atol=1e-4)


def sigmoid(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(1 / (1 + np.exp(-x)))


@pytest.mark.parametrize(
    "address",
    [
        "a.bc", "a-b.c1.de", "1.2.3.255", "http://a.bc", "xyz://u:p@a.bc:80/d?e=f", "me@a.bc", "a.bc:", "a.bc/",
        "a.bc/d_(e)", "a.bc/((d)e)", "a.bc/d)", "a.bc/\u00e9", "a.bc/d;e/",
    ],
)  # fmt: skip
def test_the_longest_address_is_found(address: str) -> None:
    end = len(address) - address.endswith("d)")
    for rest in ("", " ", "!", "\u00e9" * (not address[-1:].isalnum() and "/" not in address)):
        assert address_end("-" + address + rest, 1) == 1 + end
    assert address_end("-" + address, 0) in (0, 1 + end)


@pytest.mark.parametrize(
    "text", ["", "a.b", "e.g", "a..bc", "-a.bc", "a-.bc", "1.2.3.", "1.2.3", "256.1.1.1", "ab://x", "a@b"]
)
def test_what_is_like_an_address_is_none(text: str) -> None:
    assert address_end(text, 0) == 0


@pytest.mark.parametrize(
    ("token", "words"),
    [
        ("ab", ("a", "b")), ("Ab", ("A", "b")), ("AB", ("A", "B")), ("aB", ("a", "b")), ("xab", ("xab", "x")),
        ("xba", ("x", "ba")), ("Xba", ("X", "ba")), ("XBA", ("X", "BA")), ("ba", ()), ("b", ()), ("zz", ()),
    ],
)  # fmt: skip
def test_words_of_a_token_follow_its_case(token: str, words: tuple[str, ...]) -> None:
    rules = MultiwordRules({b"ab": ("a", "b")}, {b"ba": ("", "ba"), b"b": ("b", "x")})
    assert rules.words(token) == words


def test_an_untrained_network_runs_the_same_machine_code(forged: bytes) -> None:
    kernel: Any = split
    for splitter in (Splitter(CharacterNetwork.untrained(), MultiwordRules({}, {})), Splitter.from_bytes(forged)):
        splitter.sentences("a b.")
    assert not isinstance(kernel, Kernel) or len(kernel._outer.signatures) == 1


def test_the_end_of_a_token_may_begin_within_a_character() -> None:
    rules = MultiwordRules.from_bytes(NO_RULES + b"\x01\0\0\0" + rule(b"\xa9a", b"\xa9", b"a"))
    assert rules.words("x\u00e9a") == ("x\u00e9", "a")
    assert rules.words("x\u00e8a") == ()


def test_a_token_has_no_spaces_around_it() -> None:
    network, _ = parts()
    data = built(network, NO_RULES + NO_RULES)
    for text in ("  a dog  .  ", "\u00a0a\u00a0\u00a0.", " "):
        for tokens in Splitter.from_bytes(data).sentences(text):
            for start, end, _ in tokens:
                assert not unicodedata.category(text[start]).startswith("Z")
                assert not unicodedata.category(text[end - 1]).startswith("Z")
    assert Splitter.from_bytes(data).sentences("") == Splitter.from_bytes(data).sentences(" ") == []
    assert isinstance(Splitter.from_bytes(data).sentences("a")[0][0], Token)
