"""Some sentences of a treebank with the lines that they were read from."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import treevote
from tests.conll.test_with_words import conllu, of
from treevote.conll.writer import dumps
from treevote.corpus.sentence import sent_id
from treevote.corpus.treebank import Treebank
from treevote.evaluation.factors import documents


def blocks(text: str) -> list[str]:
    """Return the sentences of a text, each with one blank line behind it."""
    found: list[list[str]] = [[]]
    for line in text.removeprefix("\ufeff").split("\n"):
        if line.strip(" \t\r"):
            found[-1].append(line + "\n")
        elif found[-1]:
            found.append([])
    return ["".join([*own, "\r\n" if own[-1].endswith("\r\n") else "\n"]) for own in found if own]


@given(conllu(), st.data())
def test_a_selection_has_the_lines_of_its_sentences(text: str, data: st.DataObject) -> None:
    treebank = of(text)
    whole = blocks(dumps(treebank))
    chosen = data.draw(st.lists(st.integers(0, len(treebank) - 1), max_size=5))
    part = treebank.select(chosen, source=True)
    assert dumps(part) == "".join(whole[i] for i in chosen)
    assert [[*part.comments(k)] for k in range(len(chosen))] == [
        [line.removeprefix("\ufeff") for line in treebank.comments(i)] for i in chosen
    ]
    assert dumps(part[1:]) == "".join(whole[i] for i in chosen[1:])
    assert treebank.select(chosen).source is None
    if chosen:
        again = of(dumps(part))
        assert [again.sentence(k).words for k in range(len(chosen))] == [treebank.sentence(i).words for i in chosen]


def test_comments_between_sentences_are_left_out(tmp_path: Path) -> None:
    lines = "# spaces = \\s\n\n# sent_id = 1\n1\ta" + "\t_" * 7 + "\tGloss=b\n\n# spaces = \\n\n\n1\tb" + "\t_" * 8
    (tmp_path / "in.conllu").write_text(lines)
    treebank = treevote.read(tmp_path / "in.conllu", trees="optional")
    treevote.write(treebank.select([1, 0], source=True), tmp_path / "out.conllu")
    expected = "1\tb" + "\t_" * 8 + "\n\n# sent_id = 1\n1\ta" + "\t_" * 7 + "\tGloss=b\n\n"
    assert (tmp_path / "out.conllu").read_text() == expected


def test_a_treebank_without_lines_is_selected_as_ever() -> None:
    toy = Treebank.of([(["a"], [0], ["root"]), (["b"], [0], ["root"])])
    assert toy.select([1], source=True).source is None
    assert dumps(toy[1:]) == dumps(toy.select([1]))


@given(
    st.lists(st.sampled_from(["", "# newdoc", "# newdoc id = A", "# newdoc id = B", "#newdoc id=A\r"]), min_size=1),
    st.booleans(),
    st.data(),
)
def test_a_selected_sentence_is_in_no_other_document(comments: list[str], bom: bool, data: st.DataObject) -> None:
    columns = "1\ta" + "\t_" * 4 + "\t0\troot\t_\t_"
    texts = [f"{line}\n" * bool(line) + f"# sent_id = {i}\n{columns}\n\n" for i, line in enumerate(comments)]
    treebank = treevote.loads("\ufeff" * bom + "# newdoc id = no\n\n".join(texts))  # a comment without a sentence
    chosen = sorted(data.draw(st.sets(st.integers(0, len(treebank) - 1), min_size=1)))
    part = treebank.select(chosen, source=True)
    own = [treebank.documents[i] for i in chosen]
    assert [name or "(before the first)" for name in treebank.documents] == [
        "(before the first)" if name.startswith("document ") else name
        for name in documents(treebank) or ["(before the first)"] * len(treebank)
    ]
    begins = [bool(comments[i]) for i in chosen]
    first = next((k for k in range(len(own)) if begins[k] or own[k] != own[0]), len(own))
    assert part.documents == [""] * first + own[first:]
    assert treevote.loads(dumps(part)).documents == part.documents
    assert [sent_id(part.comments(k)) for k in range(len(part))] == [str(i) for i in chosen]
    lacking = sum(one != two and not new for one, two, new in zip(own, own[1:], begins[1:], strict=False))
    assert dumps(part).count("newdoc") == sum(begins) + lacking
    assert dumps(treebank[: chosen[0]]) + dumps(treebank[chosen[0] :]) == dumps(treebank[:])
    turned = treebank.select(chosen[::-1], source=True)
    assert len(chosen) == 1 or dumps(turned).count("newdoc") == sum(begins)
    places = {str(i): treebank.fault(int(treebank.offsets[i]) + 1, "", "").line for i in range(len(treebank))}
    for each in (part, turned, part[1:]):
        slots = each.offsets[:-1] + 1
        found = [each.fault(slot, "", "").line for slot in slots.tolist()]
        assert found == [places[str(sent_id(each.comments(k)))] for k in range(len(each))]
