"""Names of systems: as given, else the shortest distinct stems of their files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.errors import ConfigError
from treevote.evaluation.names import fitted, named, stems

PIECES = st.sampled_from(["a", "b", "test", "dev", "out"])
PATHS = st.builds(
    lambda folders, file, ends: "/".join([*folders, ".".join(file) + ends]),
    st.lists(PIECES, max_size=3),
    st.lists(PIECES, min_size=1, max_size=3),
    st.sampled_from(["", ".conllu", ".conllx.gz", ".conllu.xz"]),
)


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        (["a/b/x.test.conllu.xz", "a/b/y.test.conllu.xz"], ["x", "y"]),
        (["x.test.conllu.xz", "elsewhere/ours.conllu"], ["x.test", "ours"]),
        (["dev.malt.conllu", "dev.yara.conllu"], ["malt", "yara"]),
        (["test.conllu", "test.udpipe.conllu"], ["test", "test.udpipe"]),
        (["a/x.conllu", "b/x.conllu"], ["a", "b"]),
        (["dev.malt.new.conllu", "dev.yara.old.conllu"], ["malt.new", "yara.old"]),
        (["malt.new.dev.conllu", "yara.new.dev.conllu"], ["malt", "yara"]),
        (["a/x", "b/x", "c/y"], ["a/x", "b/x", "c/y"]),
        (["a/b", "b"], ["a/b", "b"]),
        (["gold"], ["gold"]),
        (["udpipe.test.conllu.gz"], ["udpipe.test"]),
        (["udpipe.TEST.CONLLU.GZ"], ["udpipe.TEST"]),
        (["dir/"], ["dir"]),
        ([".conllu", "a.conllu"], [".conllu", "a"]),
        (["x.conllu", "x.conllu"], ["x", "x"]),
        ([], []),
    ],
)
def test_stems(paths: list[str], expected: list[str]) -> None:
    assert stems(paths) == expected


@given(st.lists(PATHS, max_size=6))
def test_names_are_distinct_and_lead_to_their_files(paths: list[str]) -> None:
    found = named(paths)
    assert list(found.values()) == paths
    assert all(found)


def test_names_that_are_given() -> None:
    assert named(["new=a.conllu", Path("b.conllu"), "c/b.conllu"]) == {
        "new": "a.conllu",
        "b": "b.conllu",
        "c/b": "c/b.conllu",
    }
    assert list(named(["b=a.conllu", "b.conllu", "b.conllu"])) == ["b", "b (2)", "b (3)"]
    with pytest.raises(ConfigError, match="two systems are called 'a'"):
        named(["a=x", "a=y"])


def test_a_file_whose_name_has_the_sign_is_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "beam=8.conllu").touch()
    assert named(["beam=8.conllu"]) == {"beam=8": "beam=8.conllu"}
    assert named([f"{tmp_path}/beam=9.conllu"]) == {"beam=9": f"{tmp_path}/beam=9.conllu"}


def test_long_names_are_cut_and_stay_distinct() -> None:
    names = ["a" * 50, "a" * 25 + "b" * 25, "short"]
    assert fitted(names, 20) == ["a" * 10 + "…" + "a" * 9, "a" * 10 + "…" + "b" * 9, "short"]
    same = ["x" * 20 + "1" + "x" * 20, "x" * 20 + "2" + "x" * 20]
    assert fitted(same, 9) == same


@pytest.mark.parametrize("system", ["=b", "a=", "a", "d/a=b", f"d{os.sep}a=b", "here=there"])
def test_what_gives_no_name_is_a_file(system: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("here=there").touch()
    assert [*named([system]).values()] == [system]
    assert named(["a=b=c"]) == {"a": "b=c"}
