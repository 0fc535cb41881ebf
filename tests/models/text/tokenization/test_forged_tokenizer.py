"""Forged tokenizers: they are refused, or they give a text that can be rebuilt; none loses anything."""

from __future__ import annotations

import random
import struct

import numpy as np
import pytest

from tests.models.text.tokenization.texts import PIECES, rebuilt, tokenize
from tests.reference.lzma_literals import packed
from tests.reference.toy_text import toy_tokenizer
from treevote.conll.plain_text import encoded
from treevote.errors import ModelError
from treevote.models.text.tokenization import model_file
from treevote.models.text.tokenization.multiword import MAX_WORD, MultiwordRules
from treevote.models.text.tokenization.network import CharacterNetwork
from treevote.models.text.tokenization.splitter import Splitter
from treevote.models.text.tokenization.tokenizer import Tokenizer, TokenizerTrainer
from treevote.store.record import Record


def parts() -> tuple[bytes, bytes]:
    """Return the network and the rules of a tokenizer, decompressed."""
    return model_file.parts(toy_tokenizer().data.tobytes())


def built(network: bytes, rules: bytes) -> bytes:
    head, middle = model_file.HEADER + model_file.NETWORK, model_file.RULES
    return head + packed(network) + middle + packed(rules) + model_file.END


def rule(*words: bytes) -> bytes:
    """Return a rule for a token: its words."""
    sizes = [bytes([len(word)]) if len(word) < 255 else b"\xff" + len(word).to_bytes(4, "little") for word in words]
    key, *rest = [size + word for size, word in zip(sizes, words, strict=True)]
    return key + bytes([len(rest)]) + b"".join(rest)


NO_RULES = bytes(4)


@pytest.mark.parametrize(
    ("rules", "problem"),
    [
        (b"\x01\0\0\0" + rule(b"cant", b"can", b"t") + NO_RULES, ""),
        (NO_RULES + b"\x01\0\0\0" + rule(b"nt", b"", b"nt"), ""),
        (NO_RULES + b"\x01\0\0\0" + rule(b"", b"", b"nt"), ""),
        (b"\x01\0\0\0" + rule(b"cant") + NO_RULES, "has no words"),
        (b"\x01\0\0\0" + rule(b"cant", b"", b"t") + NO_RULES, "has no words"),
        (b"\x01\0\0\0" + rule(b"cant", b"can", b"t\tx") + NO_RULES, "something else than words"),
        (b"\x01\0\0\0" + rule(b"cant", b"can", b"\n") + NO_RULES, "something else than words"),
        (b"\x01\0\0\0" + rule(b"cant", b"can", b"\xff") + NO_RULES, "something else than words"),
        (NO_RULES + b"\x01\0\0\0" + rule(b"nt", b"\xffa", b"nt"), "something else than words"),
        (b"\x09\0\0\0" + rule(b"cant", b"can", b"t"), "cut off"),
        (NO_RULES + NO_RULES + b"x", "behind its rules"),
        (b"\x01\0\0\0\xff\xff\xff\xff\xff", "too long"),
    ],
)
def test_forged_rules_are_refused(rules: bytes, problem: str) -> None:
    network, _ = parts()
    if not problem:
        assert Splitter.from_bytes(built(network, rules)).sentences("I cant.")
        return
    with pytest.raises(ModelError, match=problem):
        MultiwordRules.from_bytes(rules)


@pytest.mark.parametrize("place", range(4))
@pytest.mark.parametrize("is_suffix", [False, True])
def test_each_word_of_a_rule_is_checked(place: int, is_suffix: bool) -> None:
    def check(word: bytes) -> None:
        one = b"\1\0\0\0" + rule(*(word if i == place else b"nt" for i in range(4)))
        MultiwordRules.from_bytes(NO_RULES + one if is_suffix else one + NO_RULES)

    is_end = is_suffix and place < 2  # of a word, which may begin within a character
    for word in (b" ", b"\xc3\xa9~", b"a" * 254, b"a" * 255, b"a" * MAX_WORD, *[b"\x80\xbfa", b""] * is_end):
        check(word)
    bad = [b"\x80", b""] * (not is_end) + [b"\xc1a", b"a\xc3", b"\x1f", b"\x7f", *map(str.encode, "\x85\u2028\u2029")]
    for word in [b""] if place == 0 and not is_suffix else bad:  # a token is only sought
        with pytest.raises(ModelError, match="has no words" if word == b"" else "something else than words"):
            check(word)
    with pytest.raises(ModelError, match="a word is too long"):
        check(b"a" * (MAX_WORD + 1))


@pytest.mark.parametrize(
    ("place", "change", "problem"),
    [
        (0, 1, "a length is too large"),
        (1, -1, "a part is cut off"),
        (1, 1, "a length is too large"),
        (2, 1, "a sum of lengths is wrong"),
        (3, -1, "a length is too large"),
        (4, 1, "a length is too large"),
    ],
)
def test_a_forged_length_is_refused(place: int, change: int, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def block(length: int, size: int, wrong: int, *rest: int) -> bytes:
        check_sum = (length * 19991 + size * 199999991 + 1234567890 + wrong) % (1 << 32)
        return struct.pack("<IIIBI", length, size, check_sum, *rest) + raw

    content = bytes(range(99))
    raw = packed(content)[17:]
    monkeypatch.setattr(model_file, "MAX_BYTES", 99)
    numbers = [99, len(raw), 0, 93, 99]
    for behind in (b"", b"more"):
        assert model_file._decompressed(b"front" + block(*numbers) + behind, 5) == (content, 22 + len(raw))
    numbers[place] += change
    with pytest.raises(ModelError, match=problem):
        model_file._decompressed(block(*numbers), 0)


def test_a_tokenizer_that_is_cut_off_is_refused() -> None:
    network, rules = parts()
    data = built(network, rules)
    front = len(model_file.HEADER + model_file.NETWORK)
    for end in (*range(front + 30), *range(len(data) - 40, len(data))):
        with pytest.raises(ModelError, match="the model is damaged: train it again"):
            Splitter.from_bytes(data[:end])


@pytest.mark.parametrize("at", range(10))
def test_forged_settings_of_the_network_are_refused(at: int) -> None:
    network, _ = parts()
    for value in range(256):
        other = network[:at] + bytes([value]) + network[at + 1 :]
        if value == network[at] or (at == 3 and value <= 1):
            CharacterNetwork.from_bytes(other)
        else:
            with pytest.raises(ModelError, match="the model is damaged: train it again"):
                CharacterNetwork.from_bytes(other)


@pytest.mark.parametrize("size", [16, 24, 64])
def test_networks_of_all_sizes_of_the_trainer_pass(size: int) -> None:
    assert TokenizerTrainer(dimension=size).dimension == size  # type: ignore[arg-type]
    numbers = 2 * 6 * (size + 1) * size + 2 * 3 * (size + 1)
    CharacterNetwork.from_bytes(struct.pack("<BHBBBI", 2, 50, 1, 1, size, 0) + bytes(4 * numbers + 1))
    with pytest.raises(ModelError, match="another size"):
        CharacterNetwork.from_bytes(struct.pack("<BHBBBI", 2, 50, 1, 1, size, 0) + bytes(4 * numbers))


@pytest.mark.parametrize(
    ("known", "usual", "passes"), [(0x10FFFF, 0x10FFFF, True), (0x110000, 97, False), (97, 0x110000, False)]
)
def test_a_character_beyond_unicode_is_refused(known: int, usual: int, passes: bool) -> None:
    """A network of one known character, and one usual character of a category."""
    size = 16
    content = struct.pack("<BHBBBI", 2, 50, 1, 1, size, 1) + struct.pack("<I", known) + bytes(4 * size)
    content += bytes(4 * (2 * 6 * (size + 1) * size + 2 * 3 * (size + 1))) + b"\1" + struct.pack("<II", 2, usual)
    if passes:
        assert len(CharacterNetwork.from_bytes(content).read("a")[0]) == 1
    else:
        with pytest.raises(ModelError, match="a number of its network is none that a training gives"):
            CharacterNetwork.from_bytes(content)


@pytest.mark.parametrize(
    "record",
    [
        Record("parser"),
        Record("tokenizer"),
        Record("tokenizer", arrays={"udpipe": np.zeros((2, 2), np.uint8)}),
        Record("tokenizer", arrays={"udpipe": np.zeros(9, np.int32)}),
        Record("tokenizer", arrays={"udpipe": np.zeros(9, np.uint8)}),
    ],
)
def test_a_record_of_something_else_is_refused(record: Record) -> None:
    with pytest.raises(ModelError):
        Tokenizer.from_record(record)


def mutated(data: bytes, rng: random.Random) -> bytes:
    """Return bytes of which a few are others, more, or fewer."""
    changed, at = bytearray(data), rng.randrange(len(data))
    kind = rng.randrange(5)
    if kind == 0:
        changed[at] ^= 1 << rng.randrange(8)
    elif kind == 1:
        del changed[at:]
    elif kind == 2:
        changed[rng.randrange(min(64, len(changed)))] = rng.randrange(256)
    elif kind == 3:
        changed[at:at] = rng.randbytes(rng.randint(1, 9))
    else:
        changed[at : at + 4] = rng.choice([0, 1, 1 << 31, (1 << 32) - 1, 1 << 16]).to_bytes(4, "little")
    return bytes(changed)


def test_a_forged_tokenizer_is_refused_or_loses_nothing() -> None:
    rng = random.Random(1)
    whole, (network, rules) = toy_tokenizer().data.tobytes(), parts()
    used, text = 0, " ".join(PIECES) * 3
    for number in range(30):
        forged = [
            lambda: mutated(whole, rng),
            lambda: built(mutated(network, rng), rules),
            lambda: built(network, mutated(rules, rng)),
        ][number % 3]()
        try:
            tokenizer = Tokenizer.from_record(Record("tokenizer", arrays={"udpipe": np.frombuffer(forged, np.uint8)}))
        except ModelError:
            continue
        assert rebuilt(tokenize(tokenizer, text))[0] == encoded(text)
        used += 1
    assert 0 < used < 30
