"""The whole evaluation: a file of CoNLL-X by hand, breakdowns and confusions token by token, laws of the comparison."""

from __future__ import annotations

import csv
import dataclasses
import hashlib
import io
import json
import tracemalloc
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.paths import TOY
from tests.strategies import LABELS, treebanks
from tests.values import settable
from treevote.commands.evaluate import evaluate as evaluate_files
from treevote.conll.reader import read
from treevote.corpus.sentence import Sentence
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError
from treevote.evaluation.breakdowns import confusions
from treevote.evaluation.counts import Convention, evaluate
from treevote.evaluation.evaluation import METRICS, evaluate_systems
from treevote.evaluation.results import Breakdown, Evaluation, Group
from treevote.report.evaluation import as_csv, as_json, as_text


@st.composite
def parses_of(draw: st.DrawFn, gold: Treebank) -> Treebank:
    """Any heads over the same words: cycles, several roots, none, unknown ones."""
    sentences = []
    for sentence in gold.sentences():
        n = len(sentence.words) - 1
        rng = np.random.default_rng(draw(st.integers(0, 2**32)))
        guess = rng.integers(-1, n + 1, n)
        heads = np.where(rng.random(n) < 0.6, sentence.heads[1:], guess).tolist()
        labels = np.where(rng.random(n) < 0.6, sentence.deprels[1:], rng.choice([*LABELS, "new"], n)).tolist()
        sentences.append((sentence.words[1:], heads, labels))
    return Treebank.of(sentences)


@st.composite
def cases(draw: st.DrawFn) -> tuple[Treebank, dict[str, Treebank], Convention, bool]:
    gold = draw(treebanks().filter(lambda treebank: treebank.n_tokens > 0))
    systems = {name: draw(parses_of(gold)) for name in "abc"[: draw(st.integers(1, 3))]}
    return gold, systems, draw(st.sampled_from(["ud", "conllx"])), draw(st.booleans())


def run(
    gold: Treebank, systems: dict[str, Treebank], convention: Convention = "ud", punctuation: bool = True
) -> Evaluation:
    return evaluate_systems(gold, systems, convention=convention, punctuation=punctuation, samples=20, permutations=20)


def table(evaluation: Evaluation, name: str) -> Breakdown:
    return next(breakdown for breakdown in evaluation.breakdowns if breakdown.name == name)


def group(evaluation: Evaluation, name: str, value: str) -> Group:
    return next(group for group in table(evaluation, name).groups if group.value == value)


# -- laws -------------------------------------------------------------------------------------------------------------


@settings(max_examples=60)
@given(cases())
def test_rates_are_those_of_the_counts(case: tuple[Treebank, dict[str, Treebank], Convention, bool]) -> None:
    gold, systems, convention, punctuation = case
    found = run(*case)
    for (name, parse), system in zip(systems.items(), found.systems, strict=True):
        counts = evaluate(gold, parse, convention=convention, punctuation=punctuation)
        assert system.name == name
        assert system.same_words
        for metric, rate in {
            "LAS": counts.las,
            "UAS": counts.uas,
            "LA": counts.label_accuracy,
            "root": counts.root_accuracy,
            "dependency": counts.dependency_accuracy,
            "leaf": counts.leaf_accuracy,
            "complete": counts.complete,
            "complete labelled": counts.complete_labelled,
            **({"CLAS": counts.clas} if convention == "ud" else {}),
        }.items():
            value = system.rates[metric].value
            assert np.isnan(rate) if value is None else value == pytest.approx(rate)


@settings(max_examples=60)
@given(cases())
def test_breakdowns_are_counted_token_by_token(case: tuple[Treebank, dict[str, Treebank], Convention, bool]) -> None:
    gold, systems, convention, punctuation = case
    found = run(*case)
    for breakdown in found.breakdowns:
        assert sum(group.tokens for group in breakdown.groups) == found.scored
    for i, parse in enumerate(systems.values()):
        for name in "deprel", "direction", "POS", "sentence length":
            expected: dict[str, Counter[str]] = {}
            for ours, theirs in zip(gold.sentences(), parse.sentences(), strict=True):
                for token in range(1, len(ours.words)):
                    form = ours.words[token].form
                    if not punctuation and form in (".", "--"):
                        continue
                    right = ours.heads[token] == theirs.heads[token]
                    label, other = cut(ours.deprels[token], convention), cut(theirs.deprels[token], convention)
                    arc = right and label == other
                    row = expected.setdefault(value(name, ours.heads, token, label, ours), Counter())
                    row.update(tokens=1, heads=int(right), arcs=int(arc))
                    if theirs.heads[token] >= 0:
                        mine = expected.setdefault(value(name, theirs.heads, token, other, ours), Counter())
                        mine.update(found=1, precise=int(arc))
            groups = {group.value: group for group in table(found, name).groups}
            for key, row in expected.items():
                cell = groups[key].cells[i]
                assert (cell.uas.correct, cell.las.correct, cell.las.gold) == (row["heads"], row["arcs"], row["tokens"])
                if table(found, name).of == "arc":
                    assert cell.precision is not None
                    assert (cell.precision.correct, cell.precision.gold) == (row["precise"], row["found"])
                    total = row["tokens"] + row["found"]
                    if row["tokens"]:  # the harmonic mean of precision and recall, 0 without an arc of the system
                        assert cell.f1 == pytest.approx(100 * (row["arcs"] + row["precise"]) / total)


def test_an_arc_from_a_word_without_counterpart_counts_in_the_precision_of_its_label() -> None:
    gold = Treebank.of([(["dog", "barks", "loud"], [2, 0, 2], ["nsubj", "root", "advmod"])] * 2)
    words, labels = ["dog", "bar", "ks", "loud"], ["nsubj", "root", "dep", "advmod"]
    system = Treebank.of([(words, [2, 0, 2, 2], labels), (words, [2, 0, 2, -1], labels)])
    found = run(gold, {"a": system}, "ud", True)
    counts = {
        group.value: (group.cells[0].precision.correct, group.cells[0].precision.gold)
        for group in table(found, "deprel").groups
        if group.cells[0].precision is not None
    }
    assert counts == {"nsubj": (0, 2), "advmod": (0, 1), "root": (0, 0)}  # an open head is no arc
    sides = [group.cells[0].precision for group in table(found, "direction").groups]
    assert not any(side is not None and side.gold for side in sides)


def cut(label: str, convention: Convention) -> str:
    return label.split(":")[0] if convention == "ud" else label


def value(name: str, heads: np.ndarray, token: int, label: str, sentence: object) -> str:
    """The group of a token, worked out slowly."""
    if name == "deprel":
        return label
    if name == "POS":
        return "_"
    if name == "sentence length":
        return "1-10"
    head = int(heads[token])
    return "ROOT" if head == 0 else f"head to the {'left' if head < token else 'right'}"


@settings(max_examples=60)
@given(cases())
def test_confusions_add_up_and_point_to_errors(case: tuple[Treebank, dict[str, Treebank], Convention, bool]) -> None:
    found = run(*case)
    for i, system in enumerate(found.systems):
        labels, heads = system.confusions
        for confusion in system.confusions:
            order = [(-cell.errors, -cell.tokens, cell.gold, cell.system) for cell in confusion.cells]
            assert order == sorted(order)
        assert sum(cell.tokens for cell in labels.cells) == sum(cell.tokens for cell in heads.cells) == found.scored
        assert sum(cell.errors for cell in heads.cells) == found.scored - system.rates["UAS"].correct
        assert sum(cell.errors for cell in labels.cells) == found.scored - system.rates["LA"].correct
        for cell in labels.cells:
            assert cell.errors == (cell.tokens if cell.gold != cell.system else 0)
            for example in cell.examples:
                trees = found.parses.sentence(example.sentence)
                assert trees.gold.deprels[example.token] == cell.gold
                assert (trees.systems[i].deprels[example.token] or "(none)") == cell.system
        pairs = zip(case[0].sentences(), list(case[1].values())[i].sentences(), strict=True)
        counted = Counter(
            (head_tag(ours, ours.heads[token]), head_tag(ours, theirs.heads[token]))
            for ours, theirs in pairs
            for token in range(1, len(ours.words))
            if case[3] or ours.words[token].form not in (".", "--")
        )
        assert {(cell.gold, cell.system): cell.tokens for cell in heads.cells} == counted
        for cell in heads.cells:
            assert (cell.examples == ()) == (cell.errors == 0)
            for example in cell.examples:
                trees = found.parses.sentence(example.sentence)
                assert trees.gold.heads[example.token] != trees.systems[i].heads[example.token]


def head_tag(sentence: Sentence, head: int) -> str:
    return "(none)" if head < 0 else sentence.words[head].upos if head else "ROOT"


def test_confusions_take_no_more_room_than_there_are_cells() -> None:
    n = 4000
    labels = [f"l{i}" for i in range(n)]
    gold, parse = (Treebank.of([(["w"] * n, [0] * n, own)]) for own in (labels, labels[1:] + labels[:1]))
    tracemalloc.start()
    found, _ = confusions(gold, parse, gold.is_token, gold.is_token, convention="ud")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(found.cells) == n
    assert peak < 10_000 * n


@settings(max_examples=60)
@given(cases())
def test_laws_of_the_comparison(case: tuple[Treebank, dict[str, Treebank], Convention, bool]) -> None:
    found = run(*case)
    comparison = found.comparison
    if not found.scored:
        assert comparison.all_arcs is None
        return
    n = len(found.systems)
    las = [system.rates["LAS"].value or 0.0 for system in found.systems]
    for i in range(n):
        assert comparison.oracle_arcs[i][i] == pytest.approx(las[i])
        for j in range(n):
            assert comparison.agreement_arcs[i][j] == comparison.agreement_arcs[j][i]
            assert comparison.oracle_heads[i][j] == comparison.oracle_heads[j][i]
            assert (comparison.agreement_heads[i][j] or 0) >= (comparison.agreement_arcs[i][j] or 0)
            wrong = comparison.right_wrong[i][j]
            gain = 100 * wrong.tokens / found.scored
            assert comparison.oracle_arcs[i][j] == pytest.approx(las[j] + gain)
            for example in wrong.examples:
                trees, at = found.parses.sentence(example.sentence), example.token
                arcs = [(tree.heads[at], tree.deprels[at]) for tree in (trees.gold, *trees.systems)]
                assert arcs[0] == arcs[1 + i] != arcs[1 + j]
    assert max(las) <= (comparison.all_arcs or 0) + 1e-9
    tested = [metric.name for metric in found.metrics if metric.tested]
    assert [(test.metric, test.first, test.second) for test in comparison.tests] == [
        (name, i, j) for name in tested for i in range(n) for j in range(i + 1, n)
    ]


@settings(max_examples=30)
@given(cases())
def test_the_answer_is_plain_and_the_same_each_time(
    case: tuple[Treebank, dict[str, Treebank], Convention, bool],
) -> None:
    found = run(*case)
    text = json.dumps(found.as_dict(), allow_nan=False)
    assert text == json.dumps(run(*case).as_dict())
    alone = run(case[0], {name: case[1][name] for name in list(case[1])[-1:]}, *case[2:])
    assert found.systems[-1] == alone.systems[0]  # a system is judged by itself


def test_equal_systems_are_not_told_apart() -> None:
    gold = read(TOY)
    parse = gold.with_trees(np.where(gold.heads > 1, 1, gold.heads), gold.deprels, gold.labels)
    found = run(gold, {"one": parse, "other": parse})
    assert {(t.bootstrap, t.randomization, t.randomization_holm, t.difference) for t in found.comparison.tests} == {
        (1.0, 1.0, 1.0, 0.0)
    }
    assert found.systems[0].rates == found.systems[1].rates


def test_files_are_compared_as_the_treebanks_in_them(tmp_path: Path) -> None:
    gold, path = read(TOY), tmp_path / "parse.conllu"
    path.write_text(TOY.read_text("utf-8").replace("\tnsubj\t", "\tobj\t"), "utf-8")
    counts = evaluate(str(TOY), path)
    assert counts == evaluate(gold, read(path)) != evaluate(gold, gold)


def test_systems_are_read_one_at_a_time() -> None:
    gold = read(TOY)
    log = []

    def reader(name: str) -> Treebank:
        log.append(name)
        return read(TOY)

    found = evaluate_systems(gold, {"a": lambda: reader("a"), "b": lambda: reader("b")}, samples=5, permutations=5)
    assert log == ["a", "b"]
    assert [system.rates["LAS"].value for system in found.systems] == [100.0, 100.0]


# -- by hand ----------------------------------------------------------------------------------------------------------

GOLD = """\
1	The	the	DT	DT	_	2	NMOD	_	_
2	dog	dog	NN	NN	_	3	SBJ	_	_
3	barked	bark	VB	VBD	_	0	ROOT	_	_
4	,	,	,	,	_	3	P	_	_
5	U.S.	U.S.	NN	NNP	_	3	OBJ:x	_	_
6	$	$	$	$	_	5	_	_	_
7	...	...	:	:	_	3	P	_	_

1	Yes	yes	UH	UH	_	0	ROOT	_	_
2	!	!	.	.	_	0	P	_	_

1	``	``	``	``	_	0	ROOT	_	_

"""
"""Punctuation that heads nothing and that is a root, a form with a full stop, a symbol, the label ``_``, two roots."""

PARSE = """\
1	The	the	DT	DT	_	2	NMOD	_	_
2	dog	dog	NN	NN	_	3	OBJ	_	_
3	barked	bark	VB	VBD	_	0	ROOT	_	_
4	,	,	,	,	_	2	P	_	_
5	U.S.	U.S.	NN	NNP	_	3	OBJ	_	_
6	$	$	$	$	_	5	_	_	_
7	...	...	:	:	_	3	P	_	_

1	Yes	yes	UH	UH	_	2	ROOT	_	_
2	!	!	.	.	_	1	P	_	_

1	``	``	``	``	_	_	_	_	_

"""
"""A wrong label, a label that is right but for its end, a wrong head of punctuation, a cycle, a word without head."""


def by_hand(punctuation: bool) -> Evaluation:
    gold, parse = (read(io.BytesIO(text.encode()), format="conllx", trees="optional") for text in (GOLD, PARSE))
    return run(gold, {"parse": parse}, "conllx", punctuation)


def test_conllx_by_hand_with_punctuation() -> None:
    found = by_hand(punctuation=True)
    rates = {name: (rate.correct, rate.gold, rate.system) for name, rate in found.systems[0].rates.items()}
    assert rates == {
        "LAS": (4, 10, 10),  # The barked $ ...
        "UAS": (6, 10, 10),  # these, dog, and U.S.
        "LA": (7, 10, 10),  # The barked , $ ... Yes !
        "dependency": (5, 6, 6),  # all but the comma
        "root": (1, 4, 1),
        "leaf": (3, 7, 7),  # The $ ... of these and , Yes ! ``
        "complete": (0, 3, 3),
        "complete labelled": (0, 3, 3),
    }


def test_conllx_by_hand_without_punctuation() -> None:
    found = by_hand(punctuation=False)
    rates = {name: (rate.correct, rate.gold, rate.system) for name, rate in found.systems[0].rates.items()}
    assert found.scored == 7  # The dog barked U.S. $ Yes and ``, whose characters are symbols to Unicode
    assert rates == {
        "LAS": (3, 7, 7),  # The barked $
        "UAS": (5, 7, 7),  # all of the first sentence
        "LA": (4, 7, 7),  # The barked $ Yes
        "dependency": (4, 4, 4),
        "root": (1, 3, 1),
        "leaf": (2, 4, 4),  # The $ of these and Yes ``
        "complete": (1, 3, 3),
        "complete labelled": (0, 3, 3),
    }
    assert found.parses.sentence(1).scored == (False, True, True, True, False, True, True, False)


def test_of_many_faults_the_first_are_named() -> None:
    gold, system = (Treebank.of([(["a", "b"], [head, 1], ["x", "x"])] * 30) for head in (0, 2))
    found = run(gold, {"one": system, "two": gold})
    (cycle,), worst = found.systems[0].ill_formed, found.systems[0].worst
    assert (cycle.sentences, cycle.first) == (30, tuple(range(1, 11)))
    assert [(each.sentence, each.tokens, each.arcs) for each in worst] == [(i, 2, 1) for i in range(1, 21)]
    examples = [
        example for confusion in found.systems[0].confusions for cell in confusion.cells for example in cell.examples
    ]
    assert [(each.sentence, each.token) for each in examples] == [(i, 1) for i in range(1, 6)]
    assert found.systems[1].worst == ()
    assert [each.tokens for row in found.comparison.right_wrong for each in row] == [0, 0, 30, 0]


@pytest.mark.parametrize("n", [199, 200, 201, 203])
def test_the_rarest_values_of_more_than_200_are_one_group(n: int) -> None:
    labels = [f"l{i:03}" for i in range(n)]
    gold = Treebank.of([(["a"] * (n + 1), [0] * (n + 1), [*labels, "l000"])])
    groups = table(run(gold, {"s": gold}), "deprel").groups
    expected = [("l000", 2), *((label, 1) for label in labels[1:200])]
    rest = [(labels[200], 1)] if n == 201 else [("(others)", n - 200)] if n > 201 else []
    assert [(each.value, each.tokens) for each in groups] == expected + rest


def test_what_is_no_tree_is_scored_and_reported() -> None:
    found = by_hand(punctuation=True).systems[0].ill_formed
    assert [(finding.name, finding.sentences, finding.first) for finding in found] == [
        ("cycle", 1, (2,)),
        ("missing heads", 1, (3,)),
    ]
    one, two = (Treebank.of([(["a", "b"], heads, ["x", "y"])]) for heads in ([0, 1], [0, 0]))
    assert [finding.name for finding in run(one, {"two": two}).systems[0].ill_formed] == ["several roots"]
    assert run(two, {"two": two}).systems[0].ill_formed == ()
    gold, parse = (Treebank.of([(["a", "b", "c"], heads, ["x", "y", "z"])]) for heads in ([0, 1, 1], [2, 1, -1]))
    assert [finding.name for finding in run(gold, {"s": parse}).systems[0].ill_formed] == ["cycle", "missing heads"]


def test_known_words_and_non_projective_arcs() -> None:
    gold = Treebank.of([(list("abcd"), [3, 4, 0, 3], ["x", "y", "root", "z"])])
    found = evaluate_systems(
        gold, {"s": gold}, training=Treebank.of([(["a", "B"], [0, 1], ["x", "y"])]), samples=5, permutations=5
    )
    assert (group(found, "known word", "known").tokens, group(found, "known word", "unknown").tokens) == (1, 3)
    assert group(found, "projectivity", "non-projective").tokens == 1
    assert [group.value for group in table(found, "length").groups] == ["ROOT", "1", "2"]
    assert all(table.name != "known word" for table in run(gold, {"s": gold}).breakdowns)


def test_more_groups_than_can_be_shown_are_put_together() -> None:
    labels = [f"l{i:03}" for i in range(250)]
    gold = Treebank.of([(["w"] * 250, range(250), labels), (["w"] * 2, [0, 1], ["l249", "l249"])])
    groups = table(run(gold, {"s": gold}), "deprel").groups
    assert (len(groups), groups[0].value, groups[0].tokens) == (201, "l249", 3)
    assert (groups[-1].value, groups[-1].tokens, groups[-1].cells[0].las.value) == ("(others)", 50, 100.0)


# -- faults -----------------------------------------------------------------------------------------------------------


def test_faults_are_named() -> None:
    gold = Treebank.of([(["a", "b"], [0, 1], ["x", "y"])], name="gold.conllu")
    with pytest.raises(InputError, match="expected gold trees, found no sentence"):
        run(Treebank.of([]), {"s": gold})
    with pytest.raises(InputError, match=r"gold\.conllu, sentence 1: token 2: expected a head for every gold token"):
        run(Treebank.of([(["a", "b"], [0, -1], ["x", ""])], name="gold.conllu"), {"s": gold})
    with pytest.raises(ConfigError, match="at least one system"):
        run(gold, {})
    with pytest.raises(ConfigError, match="unknown convention 'CoNLL'"):
        run(gold, {"s": gold}, "CoNLL")  # type: ignore[arg-type]
    joined = Treebank.of([(["ab"], [0], ["x"])], name="parse.conllu")
    with pytest.raises(InputError, match=r"token 1: expected 'a' as in gold\.conllu, found 'ab'"):
        run(gold, {"s": joined}, "conllx")
    assert run(gold, {"s": joined}).systems[0].rates["Words"].correct == 0


def test_there_is_no_such_sentence() -> None:
    found = run(gold := Treebank.of([(["a"], [0], ["x"])]), {"s": gold})
    assert found.parses.sentence(1).gold.words[1].form == "a"
    for number in 0, 2:
        with pytest.raises(IndexError, match=r"expected a sentence in 1\.\.1"):
            found.parses.sentence(number)


# -- files ------------------------------------------------------------------------------------------------------------


def test_files_are_told_in_a_few_words_as_json_and_as_csv(tmp_path: Path) -> None:
    (tmp_path / "broken.conllu").write_text(TOY.read_text("utf-8").replace("\t0\troot", "\t1\troot"), "utf-8")
    found = evaluate_files(TOY, [TOY, tmp_path / "broken.conllu"], training=TOY)
    names = [system.name for system in found.systems]
    assert names == [TOY.stem, "broken"]
    text = as_text(found)
    assert text.startswith(f"{TOY.stem} is best: 100.00 LAS, ")
    rows = text.split("\n\n")[1].splitlines()
    assert rows[0].split()[:8] == ["convention", "ud", *(m.name for m in METRICS[:6])]
    assert rows[1].split()[1:] == ["100.00"] * 8
    assert max(map(len, text.split("\n\n")[1].splitlines())) <= 100
    assert f"{TOY.stem} − broken" in text
    assert "≤ 0.0010" in text
    assert any(row.startswith("broken: ") and "do not reach ROOT" in row for row in text.splitlines())
    lines = as_csv(found).splitlines()
    assert {len(row) for row in csv.reader(lines)} == {11}
    assert sum(line.startswith("figures,") for line in lines) == 2 * len(METRICS)


def test_tables_fit_a_terminal_of_100_columns(tmp_path: Path) -> None:
    names = [f"{'a-very-long-name-of-a-parser' * 2}-{i}" for i in range(3)]
    text = as_text(run(gold := read(TOY), dict.fromkeys(names, gold)))
    assert max(map(len, text.split("\n\n", 1)[1].splitlines())) <= 100


def test_json_has_a_schema_and_is_short_unless_all_is_asked_for() -> None:
    found = evaluate_files(TOY, [f"mine={TOY}", TOY], training=TOY)
    short, full = (json.loads(as_json(found, full=full, command="treevote evaluate x")) for full in (False, True))
    assert short["schema"] == full["schema"] == "treevote/evaluation"
    assert short["schema_version"] == 1
    assert short["command"] == "treevote evaluate x"
    assert set(short["versions"]) == {"treevote", "numpy"}
    assert [(file["role"], file["name"]) for file in short["files"]] == [
        ("gold", ""),
        ("system", "mine"),
        ("system", TOY.stem),
        ("training", ""),
    ]
    assert {file["sha256"] for file in short["files"]} == {hashlib.sha256(TOY.read_bytes()).hexdigest()}
    assert short["systems"][0]["rates"]["LAS"]["value"] == 100.0
    assert "breakdowns" not in short
    assert full["breakdowns"]
    assert part_of(short, full)


def part_of(short: object, full: object) -> bool:
    """Whether all of one answer is in another."""
    if isinstance(short, dict) and isinstance(full, dict):
        return all(key in full and part_of(value, full[key]) for key, value in short.items())
    if isinstance(short, list) and isinstance(full, list):
        return len(short) == len(full) and all(map(part_of, short, full))
    return short == full


def test_the_worst_sentences_have_errors_most_first_and_the_first_ones_on_ties() -> None:
    words, right, labels = ["a", "b", "c"], [0, 1, 1], ["root", "x", "y"]
    parses = [(right, labels), ([0, 1, 2], labels), ([0, 3, 2], labels), (right, ["root", "y", "y"])]
    gold = Treebank.of([(words, right, labels)] * len(parses))
    (system,) = run(gold, {"a": Treebank.of([(words, *parse) for parse in parses])}).systems
    assert [dataclasses.astuple(score) for score in system.worst] == [(3, 3, 1, 1), (2, 3, 2, 2), (4, 3, 3, 2)]


def test_what_is_tested_is_the_attachment_of_words() -> None:
    assert [metric.name for metric in METRICS if metric.tested] == ["LAS", "UAS", "CLAS", "MLAS", "BLEX", "LA"]


def test_results_are_values() -> None:
    assert not settable("treevote.evaluation")
