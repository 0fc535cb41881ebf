"""Edit rules: the rule of a form and a lemma makes the lemma of the form, whatever the strings."""

from __future__ import annotations

import sys

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from treevote.models.text.tagging.edit_rules import apply_rule, is_rule, rule_of

ODD = "aAbBäßẞİıſŉΣσςǅﬃ|=_ 0٣\u0307\u2028\x85\x00\ud800"
strings = st.text("abAB", max_size=6) | st.text(ODD, max_size=6) | st.text(st.characters(), max_size=6)
lemmas = strings.filter(bool)


@given(strings, lemmas)
@example("İİİ", "iii")
@example("ŉ", "ʼn")
@example("STRASSE", "straße")
@example("ΟΔΟΣ", "οδός")
@example("İ" * 100, "i\u0307" * 50)
@example("a" * 101, "a" * 101)
@example("a|b", "a|b")
@example("x", "=")
@example("", "same|0||0|")
def test_a_rule_makes_the_lemma_that_it_was_made_of(form: str, lemma: str) -> None:
    rule = rule_of(form, lemma)
    assert apply_rule(rule, form) == lemma
    assert is_rule(rule)


@given(strings, strings, strings)
def test_any_rule_makes_a_lemma_of_any_form(form: str, lemma: str, other: str) -> None:
    assert apply_rule(rule_of(form, lemma or "_"), other or "_")
    assert apply_rule(lemma or "_", other or "_")


@given(st.text("abc", min_size=1, max_size=8), st.sampled_from(["s", "es", "ed", "ing"]))
def test_regular_forms_have_the_same_rule(stem: str, end: str) -> None:
    lemma = stem * 2
    assert apply_rule(rule_of("walk" + end, "walk"), lemma + end) == lemma
    assert apply_rule(rule_of("Walk" + end, "walk"), lemma.title() + end) == lemma


@pytest.mark.parametrize(
    ("form", "lemma", "rule"),
    [
        ("walks", "walk", "same|0||1|"),
        ("WALKS", "walk", "lower|0||1|"),
        ("PARIS", "Paris", "title|0||0|"),
        ("went", "go", "=go"),
        ("best", "good", "=good"),
        ("abcdef", "xyaz", "=xyaz"),  # a rule would keep one letter of four
        ("abc", "axy", "=axy"),
        ("abcdef", "xyab", "same|0|xy|4|"),
        ("ungesehen", "sehen", "same|4||0|"),
        ("a", "a", "same|0||0|"),
        ("dogs", "_", "=_"),
        ("dogs", "dog|s", "=dog|s"),
    ],
)
def test_examples(form: str, lemma: str, rule: str) -> None:
    assert rule_of(form, lemma) == rule


@pytest.mark.parametrize(
    "rule", ["", "=", "same|0||", "same|x||0|", "upper|0||0|", "same|0||0|a|", "same|-1||0|", "same|1000||0|"]
)
def test_other_texts_are_no_rules(rule: str) -> None:
    assert not is_rule(rule)
    assert apply_rule(rule, "dogs") in ("dogs", "")


def test_long_strings_are_not_compared() -> None:
    long = "a" * (sys.maxunicode // 100)
    assert rule_of(long + "s", long) == "=" + long
