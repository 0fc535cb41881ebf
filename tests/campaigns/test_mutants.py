"""Mutants change one token each, and are tested by the room of their file."""

from __future__ import annotations

import ast

from tests.campaigns.mutants import FAMILIES, ROOMS, mutants, mutants_of
from tests.paths import ROOT

TEXT = '''"""1 < 2 and True."""
LONG: Annotated[int, 3] = 4  # 5
def f(x: Literal[6] = -7) -> Literal[8]:
    return f"{x + 9}" if x <= 0.5 else "a" * x
'''


def test_each_token_has_its_mutants_but_not_in_texts_and_annotations() -> None:
    found = [(each.line, each.token, each.other) for each in mutants_of("f.py", TEXT)]
    assert found == [(2, "4", "5"), (3, "-", "+"), (3, "7", "8"), (4, "<=", "<"), (4, "<=", ">="), (4, "0.5", "1.5")]


def test_a_mutant_differs_in_its_token_alone() -> None:
    for each in mutants_of("f.py", TEXT):
        changed = each.changed(TEXT)
        ast.parse(changed)
        before, after = TEXT.splitlines(), changed.splitlines()
        assert [n for n, (a, b) in enumerate(zip(before, after, strict=True), 1) if a != b] == [each.line]
        assert after[each.line - 1][each.column :].startswith(each.other)


def test_every_room_has_mutants_and_tests() -> None:
    for room in ROOMS:
        each = mutants([room])[0]
        assert each.room == room
        files: list[str] = []
        for arguments in each.stages(ROOT):
            files = [argument for argument in arguments if argument.startswith(("src", "tests"))]
            assert all((ROOT / file).exists() for file in files)
        assert len(files) == 1 if room in FAMILIES else len(files) > 1
