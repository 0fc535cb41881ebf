"""Arrays to which rows are added, and the caches of words that are made of them."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.sentence import ROOT, Word
from treevote.models.learning.features import lexicon as lexicons
from treevote.models.learning.features.lexicon import Lexicon
from treevote.models.learning.features.word_memo import GrowingArray, WordMemo, latest
from treevote.models.text.tagging import forms as spellings
from treevote.models.text.tagging.forms import FormMemo


@given(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=4), min_size=1, max_size=6))
def test_rows_are_those_added_and_earlier_views_never_change(parts: list[list[tuple[int, int]]]) -> None:
    first, *others = [np.array(part, np.int32).reshape(-1, 2) for part in parts]
    array, views = GrowingArray(first), [first.copy()]
    for n, part in enumerate(others, 2):
        views.append(array.rows)
        array.add(part)
        assert array.rows.tolist() == np.concatenate([first, *others[: n - 1]]).tolist()
        assert array.rows.dtype == np.int32
        assert array.rows.flags.carray
    assert all(view.tolist() == array.rows[: len(view)].tolist() for view in views)


def test_memory_is_taken_anew_a_few_times_only() -> None:
    array, places = GrowingArray(np.zeros(1)), set()
    for _ in range(5000):
        array.add(np.zeros(1))
        places.add(array.rows.__array_interface__["data"][0])
    assert len(places) <= 13  # 5001 rows are 13 doublings of one


def test_the_latest_keys_of_a_dictionary_in_their_order() -> None:
    assert [latest({"a": 0, "b": 1, "c": 2}, n) for n in range(4)] == [[], ["c"], ["b", "c"], ["a", "b", "c"]]


@given(st.data())
def test_words_have_the_numbers_that_they_have_without_a_cache(data: st.DataObject) -> None:
    words = list(toy_treebank(20, seed=3).words[1:]) + [Word(f"new{i}", "_", "X", "_", f"Case=C{i}") for i in range(9)]
    lexicon = Lexicon.of_words(words[: len(words) // 2])
    memo = WordMemo(lexicon, limit=data.draw(st.sampled_from([3, 10, 1000])))
    forms = FormMemo([words[0].form], limit=memo.limit)
    for _ in range(4):
        own = (ROOT, *data.draw(st.lists(st.sampled_from(words), max_size=6, unique=True)))
        rows, columns = memo.encode(own)
        plain = lexicon.columns(own)
        assert columns.values[rows].tolist() == plain.values.tolist()
        for row, start, end in zip(rows, plain.feats_offsets, plain.feats_offsets[1:], strict=False):
            span, expected = slice(*columns.feats_offsets[row : row + 2]), slice(start, end)
            assert columns.feats[span].tolist() == plain.feats[expected].tolist()
            assert columns.feats_attributes[span].tolist() == plain.feats_attributes[expected].tolist()
        places, values, known = forms.encode(own)
        there, expected_values, expected_known = FormMemo([words[0].form]).encode(own)
        assert values[places].tolist() == expected_values[there].tolist()
        assert known[places].tolist() == expected_known[there].tolist()


WORDS = tuple(toy_treebank(20, seed=3).words)
LEXICON = Lexicon.of_words(WORDS[1:])


def contents(memo: WordMemo | FormMemo, words: tuple[Word, ...]) -> list[Any]:
    """Return what a memo says of each word."""
    if isinstance(memo, FormMemo):
        rows, values, known = memo.encode(words)
        return [values[rows].tolist(), known[rows].tolist()]
    rows, columns = memo.encode(words)
    spans = [slice(*columns.feats_offsets[row : row + 2]) for row in rows]
    return [columns.values[rows].tolist(), [columns.feats[span].tolist() for span in spans]]


MEMOS: tuple[tuple[Callable[[], WordMemo | FormMemo], Any, str], ...] = (
    (lambda: WordMemo(LEXICON), lexicons, "attributes"),
    (lambda: FormMemo([WORDS[1].form]), spellings, "spelling"),
)


@pytest.mark.parametrize(("memo", "module", "name"), MEMOS)
@pytest.mark.parametrize("n_calls", range(1, 6))
def test_an_interrupted_call_leaves_nothing_half_done(
    memo: Callable[[], WordMemo | FormMemo], module: Any, name: str, n_calls: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, left, function = memo(), [n_calls], getattr(module, name)
    contents(used, WORDS[:3])

    def interrupted(*arguments: Any) -> Any:
        left[0] -= 1
        if not left[0]:
            raise KeyboardInterrupt
        return function(*arguments)

    with monkeypatch.context() as patched, suppress(KeyboardInterrupt):
        patched.setattr(module, name, interrupted)
        used.encode(WORDS[:12])
    assert left == [0]
    assert contents(used, WORDS) == contents(memo(), WORDS)
    assert contents(used, WORDS[:12]) == contents(memo(), WORDS[:12])


@pytest.mark.parametrize(("memo", "module", "name"), MEMOS)
def test_a_call_waits_for_no_other_thread(
    memo: Callable[[], WordMemo | FormMemo], module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, function, is_under_way, may_end = memo(), getattr(module, name), threading.Event(), threading.Event()
    expected, waits = contents(memo(), WORDS), list[bool]()

    def held_up(*arguments: Any) -> Any:
        if threading.current_thread() is thread:
            is_under_way.set()
            waits.append(may_end.wait(5))
        return function(*arguments)

    monkeypatch.setattr(module, name, held_up)
    thread = threading.Thread(target=used.encode, args=(WORDS[:9],))
    thread.start()
    is_under_way.wait()
    found = contents(used, WORDS)
    may_end.set()
    thread.join()
    assert all(waits)
    assert found == contents(used, WORDS) == expected


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no process forks")
@pytest.mark.parametrize(("memo", "module", "name"), MEMOS)
def test_a_forked_process_waits_for_no_thread_of_its_parent(
    memo: Callable[[], WordMemo | FormMemo], module: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    used, function, is_under_way = memo(), getattr(module, name), threading.Event()
    expected = contents(memo(), WORDS)

    def slow(*arguments: Any) -> Any:
        is_under_way.set()
        time.sleep(0.02)
        return function(*arguments)

    monkeypatch.setattr(module, name, slow)
    thread = threading.Thread(target=used.encode, args=(WORDS[:9],))
    thread.start()
    is_under_way.wait()
    child = os.fork()
    if not child:
        signal.alarm(20)
        os._exit(int(contents(used, WORDS) != expected))
    thread.join()
    assert os.waitpid(child, 0) == (child, 0)
