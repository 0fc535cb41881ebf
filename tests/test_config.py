"""Laws of the configuration: TOML and back is the identity, and every fault names its key."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.config import converted, from_mapping, in_file, load_toml, to_mapping, to_toml
from treevote.errors import ConfigError


@dataclass(frozen=True)
class Sgd:
    kind: Literal["sgd"] = "sgd"
    rate: float = 0.1
    rounds: int = 5


@dataclass(frozen=True)
class Foreign:
    kind: Literal["foreign"]
    name: str
    options: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Search:
    order: Literal["greedy", "best-first", "beam"] = "greedy"
    width: Literal[1, 2, 4] = 1
    limit: int | None = None


@dataclass(frozen=True)
class Trainer:
    seed: int
    backward: bool = False
    templates: tuple[str, ...] = ()
    box: tuple[float, int] = (1.0, 2)
    learner: Sgd | Foreign = Sgd()
    search: Search = Search()
    backup: Search | None = None
    stages: tuple[Search, ...] = ()
    weights: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.seed < 0:
            raise ValueError(f"seed must not be negative, found {self.seed}")


numbers = st.floats(allow_nan=False, allow_infinity=False)
integers = st.integers(1 - 2**63, 2**63 - 1)
words = st.text() | st.sampled_from(['"', "\\", "\r\n", "\x7f", "a.b"])
scalars = st.booleans() | integers | numbers | words
values = scalars | st.lists(scalars, max_size=3).map(tuple)
searches = st.builds(
    Search,
    st.sampled_from(["greedy", "best-first", "beam"]),
    st.sampled_from([1, 2, 4]),
    st.none() | integers,
)
trainers = st.builds(
    Trainer,
    st.integers(0, 2**63 - 1),
    st.booleans(),
    st.lists(words, max_size=3).map(tuple),
    st.tuples(numbers, integers),
    st.builds(Sgd, rate=numbers, rounds=integers)
    | st.builds(Foreign, st.just("foreign"), words, st.dictionaries(words, values, max_size=3)),
    searches,
    st.none() | searches,
    st.lists(searches, max_size=2).map(tuple),
    st.dictionaries(words, numbers, max_size=3),
)


@given(trainers)
def test_toml_and_back_is_the_identity(trainer: Trainer) -> None:
    text = to_toml(trainer)
    assert from_mapping(Trainer, tomllib.loads(text)) == trainer
    assert to_toml(from_mapping(Trainer, tomllib.loads(text))) == text


@given(trainers)
def test_mapping_and_back_is_the_identity(trainer: Trainer) -> None:
    assert from_mapping(Trainer, to_mapping(trainer)) == trainer


def test_numbers_of_numpy_become_those_of_python() -> None:
    options = {"epochs": np.int64(2), "rates": [np.float32(0.5), np.float64(2), True]}
    found = from_mapping(Foreign, {"kind": "foreign", "name": "x", "options": options}).options
    assert found == {"epochs": 2, "rates": (0.5, 2.0, True)}
    assert [type(one) for one in (found["epochs"], *found["rates"])] == [int, float, float, bool]


@given(trainers, st.data())
def test_a_value_of_another_type_is_named_by_its_key(trainer: Trainer, data: st.DataObject) -> None:
    mapping = to_mapping(trainer)
    key = data.draw(st.sampled_from(sorted(mapping)))
    mapping[key] = data.draw(st.sampled_from([object(), [object()], {"?": object()}]))
    with pytest.raises(ConfigError, match=rf"\b{key}\b"):
        from_mapping(Trainer, mapping)


def test_what_is_written_looks_as_a_person_would_write_it() -> None:
    trainer = Trainer(1, templates=("s0.form", "q0.upos"), stages=(Search(limit=3),), weights={"é": 1e-7})
    assert to_toml(trainer) == (
        "seed = 1\n"
        "backward = false\n"
        'templates = ["s0.form", "q0.upos"]\n'
        "box = [1.0, 2]\n"
        'stages = [{order = "greedy", width = 1, limit = 3}]\n'
        "\n[learner]\n"
        'kind = "sgd"\n'
        "rate = 0.1\n"
        "rounds = 5\n"
        "\n[search]\n"
        'order = "greedy"\n'
        "width = 1\n"
        "\n[weights]\n"
        '"é" = 1e-07\n'
    )


def test_defaults_fill_in_and_whole_numbers_are_numbers() -> None:
    trainer = from_mapping(Trainer, {"seed": 3, "box": [2, 2], "weights": {"NOUN": 1}})
    assert trainer == Trainer(3, box=(2.0, 2), weights={"NOUN": 1.0})
    assert isinstance(trainer.box[0], float)
    assert isinstance(trainer.weights["NOUN"], float)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "seed: expected a whole number, found nothing; add this key"),
        ("seed = 1.5", "seed: expected a whole number, found 1.5"),
        ("seed = true", "seed: expected a whole number, found True"),
        ("seed = 1979-05-27", "seed: expected a whole number, found datetime.date"),
        ("seed = -1", "seed must not be negative, found -1"),
        ("seed = 1\nsede = 2", "unknown key 'sede'; did you mean 'seed'? known: seed, backward"),
        ("seed = 1\nbackward = 0", "backward: expected true or false, found 0"),
        ("seed = 1\ntemplates = 's0'", "templates: expected an array, each a string, found 's0'"),
        ("seed = 1\ntemplates = ['s0', 1]", "templates[1]: expected a string, found 1"),
        ("seed = 1\nbox = [1]", "box: expected an array of 2: a number, a whole number, found [1]"),
        ("seed = 1\nsearch = 3", "search: expected a table, found 3"),
        (
            "seed = 1\nsearch.ordr = 3",
            "unknown key 'search.ordr'; did you mean 'search.order'? known: search.order",
        ),
        (
            "seed = 1\nsearch.order = 'best'",
            "unknown search.order 'best'; did you mean 'best-first'?",
        ),
        (
            "seed = 1\nsearch.order = 1",
            "search.order: expected one of 'greedy', 'best-first', 'beam', found 1",
        ),
        ("seed = 1\nsearch.width = 3", "search.width: expected one of 1, 2, 4, found 3"),
        ("seed = 1\nsearch.width = true", "search.width: expected one of 1, 2, 4, found True"),
        ("seed = 1\nsearch.limit = 'x'", "search.limit: expected a whole number, found 'x'"),
        ("seed = 1\nstages = [{}, {limit = ''}]", "stages[1].limit: expected a whole number, found ''"),
        ("seed = 1\nweights.NOUN = 'x'", "weights.NOUN: expected a number, found 'x'"),
        ("seed = 1\nweights.NOUN = 1" + "0" * 400, "weights.NOUN: expected a number, found 1000"),
        ("seed = 1\nweights.NOUN = 1e400", "weights.NOUN: expected a number, found inf"),
        ("seed = 1\nweights.NOUN = nan", "weights.NOUN: expected a number, found nan"),
        ("seed = 1" + "0" * 400, "seed: expected a number of at most 64 bits, found 1000"),
        ("seed = 9223372036854775808", "seed: expected a number of at most 64 bits, found 9223372036854775808"),
        (
            "seed = 1\nlearner = {kind = 'foreign', name = 'x', options = {a = [1, 1" + "0" * 400 + "]}}",
            "learner.options.a[1]: expected a number of at most 64 bits, found 1000",
        ),
        ("seed = 1\nlearner.rate = 'x'", "learner.rate: expected a number, found 'x'"),
    ],
)
def test_a_fault_says_where_what_was_expected_and_what_was_found(text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        from_mapping(Trainer, tomllib.loads(text))
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_where_is_put_in_front_of_every_key() -> None:
    with pytest.raises(ConfigError, match=r"^a\.b\.seed: expected"):
        from_mapping(Trainer, {}, "a.b")
    with pytest.raises(ConfigError, match=r"^a\.b: seed must not"):
        from_mapping(Trainer, {"seed": -1}, "a.b")


def test_what_toml_cannot_say_is_refused() -> None:
    @dataclass(frozen=True)
    class Odd:
        limit: Any = 3

    for limit in (None, (None,), float("nan"), [1], object()):
        with pytest.raises(ConfigError, match="TOML cannot express"):
            to_toml(Odd(limit))


@pytest.mark.parametrize(
    ("raw", "message"),
    [
        (b"a = 1\nb = \n", ", line 2: expected TOML"),
        (b"a = 1\na = 2\n", ", line 2: expected TOML"),
        (b"a = 1\n\nb = [1,\n2\n\n", ", line 4: expected TOML"),
        (b"a = 1\n# \xff\n", ", line 2: expected UTF-8"),
        (b"a = " + b"[" * 100_000, ": expected TOML"),
        (b"a" + b".a" * 5000 + b" = 1", ": expected TOML"),
        (b"a = " + b"9" * 5000, ": expected TOML"),
    ],
)
def test_a_file_that_is_not_toml_is_named_with_the_line(tmp_path: Path, raw: bytes, message: str) -> None:
    (tmp_path / "a.toml").write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        load_toml(tmp_path / "a.toml")
    assert str(caught.value).startswith(f"{tmp_path / 'a.toml'}{message}")
    assert "\n" not in str(caught.value)


def test_a_file_is_read_with_or_without_byte_order_mark(tmp_path: Path) -> None:
    for mark in (b"", b"\xef\xbb\xbf"):
        (tmp_path / "a.toml").write_bytes(mark + b"[search]\r\nwidth = 2\r\n")
        assert load_toml(tmp_path / "a.toml") == {"search": {"width": 2}}
    with pytest.raises(ConfigError, match="cannot read"):
        load_toml(tmp_path)


@pytest.mark.parametrize(
    ("path", "said"), [(None, "a fault"), ("a.toml", "a.toml: a fault"), ("-", "<stdin>: a fault")]
)
def test_a_fault_has_the_name_of_its_file_and_keeps_its_cause(path: str | None, said: str) -> None:
    with pytest.raises(ConfigError) as caught, in_file(path):
        raise ConfigError("a fault") from ZeroDivisionError()
    assert str(caught.value) == said
    own: BaseException | None = caught.value if path is None else caught.value.__cause__
    assert own is not None
    assert isinstance(own.__cause__, ZeroDivisionError)


def test_a_string_of_numpy_is_a_string() -> None:
    word, names = np.str_("a"), (np.str_("a"), "b")
    assert type(converted(Literal["a", "b"], word, "x")) is str
    assert type(converted(str, word, "x")) is str
    assert converted(tuple[str, ...], names, "x") == ("a", "b")
