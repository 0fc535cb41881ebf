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
from treevote.models.text.tokenization.multiword import MultiwordRules
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
    key, *rest = [bytes([len(word)]) + word for word in words]
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
    CharacterNetwork.from_bytes(network)
    for value in range(0, 256, 51):
        other = network[:at] + bytes([value]) + network[at + 1 :]
        if value != network[at] and not (at == 3 and value <= 1):
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
