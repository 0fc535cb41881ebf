"""The text of treebanks: spaces, paragraphs, multiword tokens, empty nodes; and where it disagrees with ``# text``."""

from __future__ import annotations

import io
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.command_line import fails, invoke, run
from treevote.conll.plain_text import PlainText, encoded, escape, form_of, plain, text_of, unescape
from treevote.errors import InputError

UD = """\
# newdoc id = d
# newpar id = p
# sent_id = first
# text = I don't, OK?
1\tI\t_\t_\t_\t_\t_\t_\t_\t_
2-3\tdon't\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\tdo\t_\t_\t_\t_\t_\t_\t_\t_
3\tn't\t_\t_\t_\t_\t_\t_\t_\t_
4\t,\t_\t_\t_\t_\t_\t_\t_\tx=y
4.1\tghost\t_\t_\t_\t_\t_\t_\t_\t_
5\tOK\t_\t_\t_\t_\t_\t_\t_\tA=b|SpaceAfter=No
6\t?\t_\t_\t_\t_\t_\t_\t_\t_

# text = Yes.
1\tYes\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=No
2\t.\t_\t_\t_\t_\t_\t_\t_\tSpacesAfter=\\s\\n

# newpar
# text = a  b c
1\ta\t_\t_\t_\t_\t_\t_\t_\tSpacesBefore=\\t|SpacesAfter=\\s\\s
2\tb c\t_\t_\t_\t_\t_\t_\t_\tSpacesInToken=b\\n\\pc\\x41

# newpar
1\tend\t_\t_\t_\t_\t_\t_\t_\t_
"""


def of(conllu: str, *, lines: bool = False) -> tuple[str, PlainText]:
    text = PlainText(lines)
    return b"".join(text_of(io.BytesIO(conllu.encode()), text)).decode(), text


def test_the_text_of_a_treebank() -> None:
    found, text = of(UD)
    assert found == "I don't, OK? Yes. \n\ta  b\n|cA\n\nend\n"
    assert (text.sentences, text.different) == (4, 0)
    assert of(UD, lines=True)[0] == "I don't, OK?\nYes.\na  b\n|cA\nend\n"
    assert of(UD.replace("\n", "\r\n"))[0] == found
    assert of("\ufeff" + UD)[0] == found
    assert of(UD.replace("# newpar", "#newpar"))[0] == found
    assert of(UD.replace("# newpar\n1", "# newpars\n1"))[0] == found.replace("cA\n\nend", "cA end")


@pytest.mark.parametrize("comment", ["# a comment", "# spaces = \\t"])
def test_a_block_of_comments_is_no_sentence(comment: str) -> None:
    """The spaces of a text without a sentence are those of the text between the sentences around it."""
    around = [f"1\t{form}" + "\t_" * 8 for form in "ab"]
    conllu = f"{around[0]}\n\n{comment}\n\n{around[1]}\n\n"
    assert of(conllu)[0] == ("a \tb\n" if "spaces" in comment else "a b\n")
    assert of(conllu, lines=True)[0] == "a\nb\n"


def test_a_comment_that_disagrees_is_told() -> None:
    _, text = of(UD.replace("# text = Yes.", "# text = No.").replace("I don't", "I do not", 1))
    assert (text.different, text.first_different) == (2, "first")


@pytest.mark.parametrize("count", [1, 15, 40, 100_000])
def test_marks_in_another_order_are_no_difference_unless_they_are_very_many(count: int) -> None:
    marks = ["\u0301\u0323" * count, "\u0323\u0301" * count]
    assert unicodedata.normalize("NFC", "a\u0301\u0323") == unicodedata.normalize("NFC", "a\u0323\u0301")
    for said, form, different in ((marks[0], marks[0], 0), (marks[0], marks[1], int(count > 15))):
        assert of(f"# text = a{said}\n1\ta{form}" + "\t_" * 8 + "\n\n")[1].different == different


def test_what_is_no_treebank_is_refused() -> None:
    with pytest.raises(InputError, match="expected 10 columns"):
        of("Just a text.\n")


@given(st.text() | st.text(alphabet="\\|\n\r\t xp\x00\xa0\u2028\udcff"))
def test_an_escape_can_be_undone(text: str) -> None:
    value = escape(text)
    assert unescape(value) == encoded(text)
    assert not any(character.isspace() or character in "|\x00" for character in value)


@given(st.text())
def test_plain_text_has_the_same_length_and_forms_are_one_line(text: str) -> None:
    assert len(plain(text)) == len(text)
    assert form_of(text)
    assert not any(character.isspace() and character != " " for character in form_of(text))


def test_the_command_writes_text_and_warns(tmp_path: Path) -> None:
    path = tmp_path / "ud.conllu"
    path.write_text(UD.replace("# text = Yes.", "# text = No."))
    run("text", path, "-o", tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text().startswith("I don't, OK? Yes. \n\ta")
    assert run("text", path, "--lines").startswith("I don't, OK?\nYes.\n")
    (tmp_path / "empty.conllu").write_text("")
    assert "expected sentences, found none" in fails("text", tmp_path / "empty.conllu")
    result = invoke("text", path)
    said = " ".join(result.stderr.split())
    assert "in 1 of 4 sentences, first 2, the comment # text has something else" in said


def test_all_that_python_takes_for_space_is_space_for_the_tokenizer() -> None:
    spaces = [chr(code) for code in range(1, 0x110000) if chr(code).isspace()]
    assert all(plain(f"a{space}")[1] in "\t\r\n " or unicodedata.category(space) == "Zs" for space in spaces)
