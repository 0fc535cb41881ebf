"""Templates: what a table says is what the lines say; a wrong line is quoted."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.errors import ConfigError
from treevote.models.features.lexicon import ATTRIBUTES
from treevote.models.features.templates import (
    FEAT,
    GLOBAL,
    KINDS,
    MAX_TEMPLATES,
    QUEUE,
    STACK,
    STEPS,
    STRUCTURAL,
    TemplateTable,
    compile_templates,
)
from treevote.models.graph import templates as graph
from treevote.models.labelling import templates as labelling
from treevote.models.transition.template_sets import TEMPLATE_SETS, templates_of

places = st.builds(
    lambda first, steps: ".".join([first, *steps]),
    st.sampled_from(["s0", "s1", "s2", "q0", "q1", "s12"]),
    st.lists(st.sampled_from(["l", "l2", "r", "r2", "next", "prev"]), max_size=2),
)
plain_atoms = st.sampled_from(GLOBAL) | st.builds(
    lambda place, attribute: f"{place}.{attribute}",
    places,
    st.sampled_from([*ATTRIBUTES, *(name for name in STRUCTURAL if name != "feat")]),
)
feat_atoms = places.map(lambda place: f"{place}.feat")
templates = st.builds(
    lambda plain, feats: "+".join(plain + feats),
    st.lists(plain_atoms, max_size=3, unique=True),
    st.lists(feat_atoms, max_size=2, unique=True),
).filter(bool)
template_lists = st.lists(templates, min_size=1, max_size=12, unique_by=lambda line: frozenset(line.split("+")))


def text_of(table: TemplateTable, atom: int) -> str:
    """Read an atom back from the table."""
    kind, place, column = table.atoms[atom].tolist()
    if KINDS[kind] in GLOBAL:
        assert place == -1
        return KINDS[kind]
    steps = [ATTRIBUTES[column] if KINDS[kind] == "column" else KINDS[kind]]
    while True:
        step, argument = table.places[place].tolist()
        if step in (STACK, QUEUE):
            return ".".join([f"{'s' if step == STACK else 'q'}{argument}", *steps])
        assert argument < place  # places are found in one pass
        steps.insert(0, STEPS[step])
        place = argument


def path_to(table: TemplateTable, node: int) -> list[int]:
    """Return the atoms on the way to a node of the trie."""
    path = []
    while node >= 0:
        parent, atom, _ = table.nodes[node].tolist()
        assert parent < node  # nodes are filled in one pass
        path.append(atom)
        node = parent
    return path


@given(template_lists)
def test_a_table_holds_exactly_the_templates(lines: list[str]) -> None:
    table = compile_templates(lines)
    found = [path_to(table, node) for node in np.flatnonzero(table.nodes[:, 2]).tolist()]
    found += [
        [*path_to(table, node), *(atom for atom in (first, second) if atom >= 0)]
        for node, first, second in table.sets.tolist()
    ]
    assert Counter(frozenset(text_of(table, atom) for atom in path) for path in found) == Counter(
        frozenset(line.split("+")) for line in lines
    )
    for node in range(len(table.nodes)):
        assert all(table.atoms[atom, 0] != FEAT for atom in path_to(table, node))
    assert (table.atoms[table.sets[:, 1], 0] == FEAT).all()


@given(template_lists)
def test_a_table_holds_nothing_twice(lines: list[str]) -> None:
    table = compile_templates(lines)
    for rows in (table.places, table.atoms, table.nodes[:, :2]):
        assert len(np.unique(rows, axis=0)) == len(rows)
    assert len(table.nodes) <= sum(len(line.split("+")) for line in lines)


def test_templates_share_their_beginnings() -> None:
    table = compile_templates(["s0.form+q0.upos", "s0.form+s1.form", "s0.form"])
    assert table.nodes.tolist() == [[-1, 0, 1], [0, 1, 1], [0, 2, 1]]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("s0.frm", "unknown attribute 'frm'; did you mean 'form'?"),
        ("s0.left.form", "unknown step 'left'"),
        ("s0.q0.form", "unknown step 'q0'"),
        ("b0.form", "atom 'b0.form' should be a place and an attribute"),
        ("s.form", "atom 's.form' should be a place and an attribute"),
        ("s100.form", "atom 's100.form' should be a place and an attribute"),
        ("s٣.form", "should be a place and an attribute"),
        ("s0", "atom 's0' should be a place and an attribute"),
        ("distances", "or one of: distance, action, action2"),
        ("", "atom '' should be a place"),
        ("s0.form+", "atom '' should be a place"),
        ("s0.form + q0.form", "unknown attribute 'form '"),
        ("s0.form+s0.form", "has an atom twice"),
        ("s0.feat+s1.feat+q0.feat", "at most two 'feat' atoms"),
    ],
)
def test_a_wrong_line_is_quoted(line: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_templates(["s1.form", line])
    assert str(caught.value).startswith(f"template '{line}': ")
    assert problem in str(caught.value)


def test_the_same_template_in_another_order_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"template 's1.form\+s0.form': it stands there twice"):
        compile_templates(["s0.form+s1.form", "s1.form+s0.form"])


@pytest.mark.parametrize("n", [0, MAX_TEMPLATES + 1])
def test_too_few_or_too_many_templates_are_refused(n: int) -> None:
    with pytest.raises(ConfigError, match=f"expected 1 to {MAX_TEMPLATES} templates, found {n}"):
        compile_templates([f"s{i % 100}.{'l.' * (i // 100)}form" for i in range(n)])


def test_a_template_that_is_too_long_is_refused() -> None:
    for compile in (compile_templates, labelling.compile_templates, graph.compile_arcs):
        with pytest.raises(ConfigError, match=r"template 's0.l.l.*' has 2000007 characters; it may have 500"):
            compile([f"s0{'.l' * 1_000_000}.form"])


def test_the_most_templates_are_possible() -> None:
    table = compile_templates([f"s{i % 100}.{'l.' * (i // 100)}form" for i in range(MAX_TEMPLATES)])
    assert len(table.nodes) == MAX_TEMPLATES


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_the_named_sets_compile(name: str) -> None:
    lines = templates_of(name)
    table = compile_templates(lines)
    assert int(table.nodes[:, 2].sum()) + len(table.sets) == len(lines)


def test_the_sets_of_the_paper_contain_each_other() -> None:
    assert set(templates_of("paper")) < set(templates_of("paper-conjunctions"))


def test_templates_of_their_own_are_taken_as_they_are() -> None:
    assert templates_of(("s0.form", "q0.form")) == ("s0.form", "q0.form")


def test_an_unknown_set_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown template set 'ritch'; did you mean 'rich'"):
        templates_of("ritch")
