"""Laws of the tokenizer: every text can be rebuilt from its output."""

from __future__ import annotations

import errno
import io
import pickle
import sys
import tempfile
from pathlib import Path
from typing import Any, NoReturn

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import treevote
from tests.models.text.tokenization.texts import rebuilt, texts, tokenize
from tests.reference.toy_model import content
from tests.reference.toy_text import CONLLU, learned, toy, toy_tokenizer
from tests.values import comparing_arrays, settable
from treevote.conll import text_chunks as cutting
from treevote.conll.chunks import Chunk
from treevote.conll.plain_text import encoded
from treevote.conll.reader import parse_chunk, read
from treevote.conll.text_chunks import TextFormat, text_chunks
from treevote.conll.writer import dumps
from treevote.corpus.treebank import Treebank
from treevote.errors import ConfigError, InputError, TreevoteError
from treevote.models.text.tokenization import child
from treevote.models.text.tokenization.tokenizer import Tokenizer, TokenizerTrainer
from treevote.models.text.tokenization.training import _blocks
from treevote.parallel import Jobs
from treevote.store import folder as store

formats = pytest.mark.parametrize("format", ["text", "lines"])


def columns(treebank: Treebank) -> list[object]:
    assert treebank.source is not None
    arrays = treebank.tokens, treebank.heads, treebank.deprels, treebank.offsets, treebank.source.line_of
    return [treebank.words, treebank.labels, treebank.source.text, *((a.dtype, a.tolist()) for a in arrays)]


@pytest.mark.parametrize("longest", [None, 40])
@formats
@settings(max_examples=50)
@given(text=texts)
def test_every_text_can_be_rebuilt(text: str, format: TextFormat, longest: int | None) -> None:
    with pytest.MonkeyPatch.context() as patch:
        if longest:
            patch.setattr(cutting, "MAX_STRETCH", longest)
            patch.setattr(cutting, "MAX_SPACES", 5)
        conllu = tokenize(toy_tokenizer(), text, format=format)
        direct = toy_tokenizer().read(cutting.text_chunk(encoded(text), format=format))
    found, counts = rebuilt(conllu)
    assert found == encoded(text)
    assert counts.different == 0
    treebank, faults = parse_chunk(Chunk("", 1, 1, conllu.encode(), "conllu"))
    assert not faults
    assert columns(direct) == columns(treebank)
    for word in treebank.words[1:]:
        assert word.form
        assert not any(character < " " or character in "\x7f\x85\u2028" for character in word.form)


@formats
@given(data=st.binary(max_size=60))
def test_every_sequence_of_bytes_can_be_rebuilt(data: bytes, format: TextFormat) -> None:
    conllu = tokenize(toy_tokenizer(), data, format=format) if not data.startswith(MARKS) else ""
    assert not conllu or rebuilt(conllu)[0] == data


MARKS = b"\xff\xfe", b"\xfe\xff", b"\x00\x00\xfe\xff"  # of UTF-16 and UTF-32, which are refused


class Drops(io.BytesIO):
    """A file that gives a few bytes at a time."""

    def read(self, n: int | None = -1) -> bytes:
        return super().read(min(n, 7) if n and n > 0 else n)


@formats
@given(text=st.lists(texts, max_size=5).map("\n\n".join), n_bytes=st.integers(1, 50))
def test_stretches_do_not_depend_on_the_length_of_chunks(text: str, n_bytes: int, format: TextFormat) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cutting, "MAX_STRETCH", 64)
        patch.setattr(cutting, "MAX_SPACES", 6)
        whole = [each for chunk in text_chunks(io.BytesIO(encoded(text)), format=format) for each in chunk.stretches]
        chunks = list(text_chunks(Drops(encoded(text)), format=format, n_bytes=n_bytes))
    assert [each for chunk in chunks for each in chunk.stretches] == whole
    assert b"".join(each.text for each in whole) == encoded(text)
    alone = [toy_tokenizer().read(cutting.TextChunk("", (each,), format)) for each in whole]
    assert "".join(dumps(toy_tokenizer().read(chunk)) for chunk in chunks) == "".join(map(dumps, alone))


def test_what_is_learned() -> None:
    tokenizer = toy_tokenizer()
    conllu = tokenize(tokenizer, "Dogs can't bark. Dogs\ncan't bark.\n\nDOGS CAN'T bark.")
    treebank = read(io.BytesIO(conllu.encode()), trees="ignored")
    forms = [[word.form for word in sentence.words[1:]] for sentence in treebank.sentences()]
    assert forms == [["Dogs", "ca", "n't", "bark", "."]] * 2 + [["DOGS", "CA", "N'T", "bark", "."]]
    assert conllu.count("# newpar") == 2
    assert conllu.startswith("# newdoc\n# newpar\n# sent_id = p1s1\n# text = Dogs can't bark.\n")
    assert "2-3\tcan't\t" in conllu
    lines = tokenize(tokenizer, "Dogs bark. Dogs bark.\n\nDogs\n", format="lines")
    assert lines.count("# sent_id = s") == 2
    assert "# newpar" not in lines


def test_a_first_word_as_long_as_the_token_is_learned() -> None:
    conllu = CONLLU.replace("\tca\t", "\tcould\t")
    learned(read(io.BytesIO(conllu.encode())))


@pytest.mark.parametrize(
    ("comment", "learned"),
    [("#newpar", "# newpar\n"), ("# newpars", ""), ("#newdoc id=a", "# newdoc\n"), ("# newdoc_id = a", "")],
)
def test_a_paragraph_begins_with_its_comment_however_it_is_written(comment: str, learned: str) -> None:
    treebank = treevote.loads(f"{comment}\n1\ta" + "\t_" * 4 + "\t0\troot\t_\t_\n\n")
    assert [block.partition("1\t")[0] for block in _blocks(treebank)] == [learned]


def test_the_same_treebank_gives_the_same_bytes_and_progress() -> None:
    calls: list[tuple[str, int, int]] = []
    again = learned(toy(), jobs=Jobs(progress=lambda *call: calls.append(call)))
    assert content(again.record()) == content(toy_tokenizer().record())
    assert calls == [("tokenizer", 1, 1)]


def test_training_is_silent(capfd: pytest.CaptureFixture[str]) -> None:
    learned(toy(), toy())
    assert capfd.readouterr() == ("", "")


def test_a_treebank_without_spaces_is_learned_or_refused() -> None:
    bare = CONLLU.replace("SpaceAfter=No", "_")
    without_marks = read(io.BytesIO(bare.replace("5\t.\t", "5\tthen\t").encode()))
    assert tokenize(learned(without_marks), "Dogs bark").count("\n1\t") == 1
    with pytest.raises(InputError, match="12 tokens are punctuation: a tokenizer would never split it off"):
        learned(read(io.BytesIO(bare.encode())))
    with pytest.raises(InputError, match="Not enought training data"):
        learned(Treebank.of([(["a"], [0], ["root"])]))


def test_without_the_library_text_is_read_and_a_training_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = Tokenizer.from_record(toy_tokenizer().record())
    monkeypatch.setitem(sys.modules, "ufal.udpipe", None)
    assert tokenize(loaded, "Dogs bark")
    with pytest.raises(ConfigError, match=r"of a tokenizer needs ufal.udpipe.*pip install 'treevote\[text\]'"):
        learned(toy())


def test_a_training_that_dies_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "dies.py").write_text("import os; os.write(2, b'no memory'); os._exit(9)")
    monkeypatch.setattr(child, "__file__", str(tmp_path / "dies.py"))
    with pytest.raises(TreevoteError, match="ended without a result: no memory"):
        learned(toy())


def test_a_full_disk_for_temporary_files_is_one_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    text = Path(child.__file__).read_text("utf-8")
    wrong = "(Path(model).write_bytes(made[:99]), Path(model + 'x/y').write_bytes(made))"
    (tmp_path / "full.py").write_text(text.replace("Path(model).write_bytes(made)", wrong), "utf-8")
    monkeypatch.setattr(child, "__file__", str(tmp_path / "full.py"))
    with pytest.raises(TreevoteError, match=rf"result: cannot write {tmp_path}/.*; set TMPDIR to a folder with more"):
        learned(toy())

    def full(*_: object, **__: object) -> NoReturn:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(TreevoteError, match=rf"^{tmp_path}/.*: cannot write the text .* \(No space left on device\)"):
        learned(toy())


def test_a_stored_tokenizer_is_the_same(tmp_path: Path) -> None:
    tokenizer, text = toy_tokenizer(), "Dogs can't bark. Dogs"
    store.save(tokenizer.record(), tmp_path / "model")
    again = Tokenizer.from_record(store.load(tmp_path / "model"))
    assert content(again.record()) == content(tokenizer.record())
    assert tokenize(again, text) == tokenize(pickle.loads(pickle.dumps(tokenizer)), text) == tokenize(tokenizer, text)


@pytest.mark.parametrize(
    ("name", "allowed", "refused"),
    [
        ("epochs", (1, 1000), (0, 1001)),
        ("dimension", (16, 24, 64), (17, 25, 65)),
        ("batch_size", (1, 1000), (0, 1001)),
        ("learning_rate", (0.001, 0.999), (0.0, 1.0)),
    ],
)
def test_settings_have_ranges(name: str, allowed: tuple[Any, ...], refused: tuple[Any, ...]) -> None:
    assert [getattr(TokenizerTrainer(**{name: value}), name) for value in allowed] == [*allowed]
    for value in refused:
        with pytest.raises(ConfigError, match=f"{name}(:| should be)"):
            TokenizerTrainer(**{name: value})


def test_parts_of_a_long_line_are_numbered_from_the_second_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treevote.models.text.tokenization.tokenizer.MAX_WORDS", 2)
    lines = tokenize(toy_tokenizer(), "Dogs bark.\nDogs\n", format="lines").split("\n")
    names = [line.removeprefix("# sent_id = ") for line in lines if line.startswith("# sent_id")]
    assert names == ["s1", "s1-2", "s2"]
    text = "dogs " * 3000 + "\nDogs\n"
    lines = tokenize(toy_tokenizer(), text, format="lines").split("\n")
    names = [line for line in lines if line.startswith("# sent_id")]
    assert len(names) == len({*names}) > 3
    assert names[-1] == "# sent_id = s2"


def test_a_sentence_with_too_many_words_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("treevote.models.text.tokenization.tokenizer.MAX_TOKENS", 5)
    assert tokenize(toy_tokenizer(), "Dogs can't bark.").count("# sent_id") == 1
    with pytest.raises(InputError, match="sentence s1: expected at most 5 tokens in a sentence, found more; cut the"):
        tokenize(toy_tokenizer(), "Dogs can't bark. Dogs", format="lines")


def test_tokenizers_and_their_settings_are_values() -> None:
    package = "treevote.models.text.tokenization"
    assert not settable(package) | comparing_arrays(package)
