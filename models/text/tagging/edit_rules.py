"""Edit rules: how a lemma is made of a form, as a class that a tagger can choose (Chrupała 2006).

A rule names the case of the lemma, the characters to remove from both ends of the form and those to add there, such as
``lower|0||3|y`` for *Cities*, *city*. A lemma that shares nothing with its form is a rule of its own: ``=be``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import SequenceMatcher

_RULE = re.compile(r"(same|lower|title)\|(\d{1,3})\|([^|]*)\|(\d{1,3})\|([^|]*)")

_CASES: dict[str, Callable[[str], str]] = {
    "same": str,
    "lower": str.lower,
    "title": lambda form: form[:1].upper() + form[1:].lower(),
}

_MAX_LENGTH = 100  # characters of a form or lemma; longer ones are not compared


def rule_of(form: str, lemma: str) -> str:
    """Return the rule that makes a lemma of a form.

    >>> rule_of("Cities", "city"), rule_of("am", "be"), rule_of("dogs", "dog"), rule_of("gegangen", "gehen")
    ('lower|0||3|y', '=be', 'same|0||1|', 'same|0||6|hen')
    """
    if max(len(form), len(lemma)) > _MAX_LENGTH or "|" in lemma:
        return "=" + lemma
    rules = []
    for case, change in _CASES.items():
        changed = change(form)
        start = 0
        while start < min(len(changed), len(lemma)) and changed[start] == lemma[start]:
            start += 1
        if start:
            prefix, begin, size = 0, 0, start
        else:
            prefix, begin, size = SequenceMatcher(None, changed, lemma, autojunk=False).find_longest_match()
        if size and 2 * size >= min(len(lemma), 4):
            added = lemma[:begin], lemma[begin + size :]
            cost = len(changed) - 2 * size  # of all rules the same lemma
            rules.append((cost, f"{case}|{prefix}|{added[0]}|{len(changed) - prefix - size}|{added[1]}"))
    return min(rules, key=lambda rule: rule[0])[1] if rules else "=" + lemma


def apply_rule(rule: str, form: str) -> str:
    """Return the lemma that a rule makes of a form, or the form if the rule does not fit it."""
    if rule.startswith("="):
        return rule[1:]
    match = _RULE.fullmatch(rule)
    if match is None:
        return form
    case, prefix, before, suffix, after = match.groups()
    changed = _CASES[case](form)
    first, last = int(prefix), len(changed) - int(suffix)
    return (before + changed[first:last] + after if first <= last else form) or form


def is_rule(text: str) -> bool:
    """Tell whether a text is a rule."""
    return (text.startswith("=") and len(text) > 1) or _RULE.fullmatch(text) is not None
