"""Running text in stretches: nothing is lost, and long paragraphs are cut at the ends of sentences."""

from __future__ import annotations

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.conll.text_chunks import MAX_STRETCH, text_chunks

SENTENCES = {
    "Chinese": "我喜欢猫和狗，它们非常新鲜。",
    "quoted": "他说：「我喜欢猫。」",
    "Japanese": "私は猫が好きですか？",
    "English": 'She said: "I like cats." ',
    "curly": "She said: “I like cats.” ",
}


def stretches(text: bytes) -> list[bytes]:
    return [stretch.text for chunk in text_chunks(io.BytesIO(text)) for stretch in chunk.stretches]


@pytest.mark.parametrize("sentence", SENTENCES.values(), ids=SENTENCES)
def test_a_long_paragraph_is_cut_between_sentences(sentence: str) -> None:
    text = (sentence * (4 * MAX_STRETCH // len(sentence.encode()))).encode()
    parts = stretches(text)
    assert b"".join(parts) == text
    assert len(parts) > 3
    assert all(part.decode().replace(sentence, "") == "" for part in parts)
    assert all(len(part) <= MAX_STRETCH for part in parts)


@given(
    st.lists(st.sampled_from([*SENTENCES.values(), "猫", "cat ", "\n", "\n\n", "。", "”"]), max_size=300),
    st.integers(1, 40),
)
def test_stretches_are_the_text_and_whole_characters(words: list[str], times: int) -> None:
    text = ("".join(words) * times).encode()
    parts = stretches(text)
    assert b"".join(parts) == text
    for part in parts:
        part.decode()
