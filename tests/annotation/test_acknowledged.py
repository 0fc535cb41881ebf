"""Acknowledged cases: the lines that ``treevote doctor --list`` writes are read, whatever their sent_id is."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.annotation.acknowledged import read_acknowledged
from treevote.errors import InputError

names = st.text(st.characters(exclude_characters="\t\r\n\ufeff", exclude_categories=["Cs"]), min_size=1)


@given(
    st.lists(st.tuples(names, st.integers(1, 99), st.sampled_from(["00ff00ff00ff", "123456789abc"])), unique=True),
    st.sampled_from(["\n", "\r\n"]),
    st.sampled_from(["", "\ufeff"]),
)
def test_each_line_of_a_list_is_a_case(
    tmp_path_factory: pytest.TempPathFactory, cases: list[tuple[str, int, str]], end: str, mark: str
) -> None:
    path = tmp_path_factory.mktemp("list") / "cases.tsv"
    lines = ["# looked at", "", *(f"{name}\t{token}\t{digest}\tdogs" for name, token, digest in cases)]
    path.write_bytes((mark + "".join(line + end for line in lines)).encode())
    assert read_acknowledged(path) == frozenset(cases)


@pytest.mark.parametrize(
    "line",
    ["a\t1", "a\tone\t00ff", "a 1 00ff", f"a\t{'9' * 5000}\t00ff"],
    ids=["two columns", "no number", "no tabs", "many digits"],
)
def test_another_line_is_told(tmp_path: Path, line: str) -> None:
    (tmp_path / "cases.tsv").write_text(f"a\t1\t00ff\n{line}\n")
    with pytest.raises(InputError, match=r"cases.tsv, line 2: expected sent_id, token and digest"):
        read_acknowledged(tmp_path / "cases.tsv")
