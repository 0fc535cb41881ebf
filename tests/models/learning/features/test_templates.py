"""Templates: tables equal their lines; a message quotes a wrong line."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from treevote.errors import ConfigError
from treevote.models.learning.features.stack_and_queue import GRAMMAR
from treevote.models.learning.features.templates import (
    MAX_TEMPLATE,
    MAX_TEMPLATES,
    Grammar,
    TemplateTable,
    compile_templates,
)
from treevote.models.parsers.labelling.features import GRAMMAR as OF_ARCS
from treevote.models.parsers.transition.template_sets import TEMPLATE_SETS, templates_of

both = pytest.mark.parametrize("grammar", [GRAMMAR, OF_ARCS], ids=["stack-and-queue", "arcs"])


def template_lists(grammar: Grammar) -> st.SearchStrategy[list[str]]:
    """Lists of templates that a grammar allows, none twice."""
    some = list(grammar.places)[:3] + list(grammar.places)[-3:]
    places = st.builds(
        lambda first, steps: ".".join([first, *steps]),
        st.sampled_from(some),
        st.lists(st.sampled_from(list(grammar.steps)), max_size=2),
    )
    atoms = st.sampled_from(list(grammar.globals)) | st.builds(
        lambda place, attribute: f"{place}.{attribute}", places, st.sampled_from(list(grammar.attributes))
    )
    templates = st.lists(atoms, min_size=1, max_size=5, unique=True).filter(
        lambda own: sum(is_set(atom, grammar) for atom in own) <= grammar.most_sets and is_allowed(own, grammar)
    )
    return st.lists(templates.map("+".join), min_size=1, max_size=12, unique_by=lambda line: frozenset(line.split("+")))


def is_allowed(template: list[str], grammar: Grammar) -> bool:
    """Tell whether ``agree`` is that of two places, and of nothing else with several values."""
    sets = [atom.rpartition(".")[2] for atom in template if "." in atom and is_set(atom, grammar)]
    return "agree" not in sets or sets == ["agree", "agree"]


def is_set(atom: str, grammar: Grammar) -> bool:
    return atom.rpartition(".")[2] in grammar.sets


def text_of(table: TemplateTable, atom: int, grammar: Grammar) -> str:
    """Read an atom back from the table."""
    starts, names = ({row: name for name, row in known.items()} for known in (grammar.places, grammar.attributes))
    steps = {number: name for name, number in grammar.steps.items()}
    kind, place, column, number = table.atoms[atom].tolist()
    assert number == atom
    if place == -1:
        return next(name for name, number in grammar.globals.items() if number == kind)
    text = [names[kind, column]]
    while (row := tuple(table.places[place].tolist())) not in starts:
        text.insert(0, steps[row[0]])
        assert row[1] < place  # places are found in one pass
        place = row[1]
    return ".".join([starts[row], *text])


def path_to(table: TemplateTable, node: int) -> list[int]:
    """Return the atoms on the way to a node of the trie."""
    path = []
    while node >= 0:
        parent, atom, _ = table.nodes[node].tolist()
        assert parent < node  # nodes are filled in one pass
        path.append(atom)
        node = parent
    return path


@both
@given(st.data())
def test_a_table_holds_exactly_the_templates(grammar: Grammar, data: st.DataObject) -> None:
    lines = data.draw(template_lists(grammar))
    table = compile_templates(lines, grammar)
    texts = [text_of(table, atom, grammar) for atom in range(len(table.atoms))]
    found = [path_to(table, node) for node in np.flatnonzero(table.nodes[:, 2]).tolist()]
    found += [
        [*path_to(table, node), *(atom for atom in (first, second) if atom >= 0)]
        for node, first, second, _ in table.sets.tolist()
    ]
    assert Counter(frozenset(texts[atom] for atom in path) for path in found) == Counter(
        frozenset(line.split("+")) for line in lines
    )
    assert not any(is_set(texts[atom], grammar) for atom in table.nodes[:, 1])
    assert all(is_set(texts[atom], grammar) for atom in table.sets[:, 1])


@both
@given(st.data())
def test_a_table_holds_nothing_twice(grammar: Grammar, data: st.DataObject) -> None:
    lines = data.draw(template_lists(grammar))
    table = compile_templates(lines, grammar)
    for rows in (table.places, table.atoms, table.nodes[:, :2]):
        assert len(np.unique(rows, axis=0)) == len(rows)
    assert len(table.nodes) <= sum(len(line.split("+")) for line in lines)


def test_templates_share_their_beginnings() -> None:
    table = compile_templates(["s0.form+q0.upos", "s0.form+s1.form", "s0.form"], GRAMMAR)
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
        ("s0.feat+s1.feat+q0.feat", "at most two atoms of a template can have several values (feat, agree)"),
        ("s0.agree+s1.upos", "'agree' is about two words"),
        ("s0.agree+s1.feat", "'agree' is about two words"),
    ],
)
def test_a_wrong_line_is_quoted(line: str, problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        compile_templates(["s1.form", line], GRAMMAR)
    assert str(caught.value).startswith(f"template '{line}': ")
    assert problem in str(caught.value)


def test_a_template_of_an_arc_has_one_atom_of_several_values() -> None:
    with pytest.raises(ConfigError, match=r"template 'd.feat\+h.feat': at most one atom of a template"):
        compile_templates(["d.feat+h.feat"], OF_ARCS)


def test_the_same_template_in_another_order_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"template 's1.form\+s0.form': it occurs twice"):
        compile_templates(["s0.form+s1.form", "s1.form+s0.form"], GRAMMAR)


@pytest.mark.parametrize("n", [0, MAX_TEMPLATES + 1])
def test_too_few_or_too_many_templates_are_refused(n: int) -> None:
    with pytest.raises(ConfigError, match=f"expected 1 to {MAX_TEMPLATES} templates, found {n}"):
        compile_templates([f"s{i % 100}.{'l.' * (i // 100)}form" for i in range(n)], GRAMMAR)


def test_a_template_that_is_too_long_is_refused() -> None:
    longest = f"s0.r2{'.l' * 245}.form"
    assert len(longest) == MAX_TEMPLATE
    assert len(compile_templates([longest], GRAMMAR).places) == 247
    with pytest.raises(ConfigError, match=r"template 's0.l.l.*' has 2000007 characters; it may have 500"):
        compile_templates([f"s0{'.l' * 1_000_000}.form"], GRAMMAR)


def test_the_most_templates_are_possible() -> None:
    table = compile_templates([f"s{i % 100}.{'l.' * (i // 100)}form" for i in range(MAX_TEMPLATES)], GRAMMAR)
    assert len(table.nodes) == MAX_TEMPLATES


@pytest.mark.parametrize("name", TEMPLATE_SETS)
def test_the_named_sets_compile(name: str) -> None:
    lines = templates_of(name)
    table = compile_templates(lines, GRAMMAR)
    assert int(table.nodes[:, 2].sum()) + len(table.sets) == len(lines)


def test_the_sets_of_the_paper_contain_each_other() -> None:
    assert set(templates_of("paper")) < set(templates_of("paper-conjunctions"))


def test_templates_of_their_own_are_taken_as_they_are() -> None:
    assert templates_of(("s0.form", "q0.form")) == ("s0.form", "q0.form")


def test_an_unknown_set_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="unknown template set 'ritch'; did you mean 'rich'"):
        templates_of("ritch")
