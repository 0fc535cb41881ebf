"""Laws of parsing files: the bytes depend on model and text alone, and all but the trees comes back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.paths import TOY
from treevote.commands.parse import Summary, parse_files
from treevote.conll.reader import read
from treevote.corpus.treebank import Treebank
from treevote.corpus.trees import are_trees
from treevote.ensemble.members import Member, member_from_record, members_of
from treevote.ensemble.parser import load, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.errors import ConfigError, InputError
from treevote.parallel import Jobs
from treevote.store.record import Record

WORDS = ("dog", "cats", "that", "é漢", "_")

endings = st.sampled_from(["\n\n", "\n", "", "\r\n\r\n", "\n \n"])
texts = st.builds(
    lambda sentences, ending: "\n\n".join(map(conllu, sentences)) + ending,
    st.lists(st.lists(st.sampled_from(WORDS), min_size=1, max_size=4), min_size=1, max_size=6),
    endings,
)


def conllu(words: Sequence[str]) -> str:
    tokens = [f"{i}\t{word}\t_\tNOUN\t_\t_\t9\twhatever\t_\tx=y" for i, word in enumerate(words, 1)]
    return "\n".join([f"# text = {' '.join(words)}", f"1-{len(words)}" + "\t_" * 9, *tokens])


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("batch") / "model"
    members = members_of(["lr-svm-forward", "lr-svm-backward"])
    save(EnsembleTrainer(members).train(read(TOY)), path)
    return path


def parse(model: Path, inputs: Sequence[Path], **options: object) -> tuple[bytes, Summary]:
    output = model.parent / "out.conllu"
    summary = parse_files(model, inputs, output, **options)  # type: ignore[arg-type]
    return output.read_bytes(), summary


def without_trees(text: bytes) -> list[list[bytes]]:
    lines = [line.split(b"\t") for line in text.split(b"\n")]
    return [line[:6] + line[8:] if line[0].isdigit() else line for line in lines]


shared = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


@shared
@given(text=texts, chunk_bytes=st.integers(1, 200), n_jobs=st.integers(1, 3))
def test_the_bytes_depend_on_model_and_text_alone(model: Path, text: str, chunk_bytes: int, n_jobs: int) -> None:
    path = model.parent / "in.conllu"
    path.write_bytes(text.encode())
    whole, summary = parse(model, [path])
    assert without_trees(whole) == without_trees(text.encode())
    assert are_trees(read(path.parent / "out.conllu")).all()
    assert parse(model, [path], chunk_bytes=chunk_bytes, jobs=Jobs(n_jobs, "threading"))[0] == whole
    assert summary.sentences == text.count("# text")


@shared
@given(st.lists(texts, min_size=1, max_size=3), st.integers(1, 200))
def test_several_files_give_the_sentences_of_each(model: Path, parts: list[str], chunk_bytes: int) -> None:
    paths = [model.parent / f"in{i}.conllu" for i in range(len(parts))]
    for path, text in zip(paths, parts, strict=True):
        path.write_bytes(text.encode())
    together, _ = parse(model, paths, chunk_bytes=chunk_bytes)
    joined = read(model.parent / "out.conllu")
    alone = []
    for path in paths:
        parse(model, [path])
        alone.append(read(model.parent / "out.conllu"))
    expected = Treebank.concatenate(alone)
    assert [list(s.heads) for s in joined.sentences()] == [list(s.heads) for s in expected.sentences()]
    assert [s.words for s in joined.sentences()] == [s.words for s in expected.sentences()]
    assert together.count(b"# text") == joined.n_sentences


def test_processes_give_the_same_bytes(model: Path) -> None:
    assert parse(model, [TOY], jobs=Jobs(2), chunk_bytes=300)[0] == parse(model, [TOY])[0]


def test_a_byte_order_mark_stays_at_the_front_alone(model: Path) -> None:
    path = model.parent / "bom.conllu"
    path.write_bytes(b"\xef\xbb\xbf" + TOY.read_bytes())
    once, _ = parse(model, [path])
    twice, _ = parse(model, [path, path])
    assert twice == once + once[3:]


def test_an_input_may_be_the_output(model: Path) -> None:
    path = model.parent / "same.conllu"
    path.write_bytes(TOY.read_bytes())
    expected, _ = parse(model, [path])
    parse_files(model, [path], path)
    assert path.read_bytes() == expected


def test_members_parse_alone(model: Path) -> None:
    alone = {member: parse(model, [TOY], member=member)[0] for member in ("lr-svm-forward", "lr-svm-backward")}
    assert without_trees(alone["lr-svm-forward"]) == without_trees(alone["lr-svm-backward"])
    with pytest.raises(ConfigError, match="did you mean 'lr-svm-backward'"):
        parse(model, [TOY], member="lr-svm-backwards")


def test_a_member_alone_is_the_only_one_loaded(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded = []

    def read(name: str, record: Record) -> Member:
        loaded.append(record)
        return member_from_record(name, record)

    monkeypatch.setattr("treevote.ensemble.parser.member_from_record", read)
    monkeypatch.setattr("treevote.ensemble.stored._PLACES", {})
    parse(model, [TOY], member="lr-svm-backward")
    assert len(loaded) == 1
    parse(model, [TOY])
    assert len(loaded) == 3


def test_members_of_one_training_share_one_vocabulary(model: Path) -> None:
    one, other = (member.memo.lexicon for member in load(model).members.values())  # type: ignore[attr-defined]
    assert one is other
    assert (model / "form.json").exists()


def test_support_is_written_on_request(model: Path) -> None:
    assert b"Support=" not in parse(model, [TOY])[0]
    assert parse(model, [TOY], support=True)[0].count(b"LabelSupport=") == read(TOY).n_tokens
    with pytest.raises(ConfigError, match="belong to a vote"):
        parse(model, [TOY], support=True, member="lr-svm-forward")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_faulty_sentences_stop_are_left_out_or_kept(model: Path, n_jobs: int) -> None:
    good, bad = TOY.read_bytes(), b"# sent_id = bad\n1\tone\n\n"
    path, line = model.parent / "faulty.conllu", good.count(b"\n") + 2
    path.write_bytes(good + bad + good + bad)
    options = {"chunk_bytes": 100, "jobs": Jobs(n_jobs, "threading")}
    parsed, _ = parse(model, [TOY])
    skipped, summary = parse(model, [path], on_error="skip", **options)
    assert skipped == parsed + parsed
    assert (summary.sentences, summary.faults) == (24, 2)
    assert str(summary.first_fault).startswith(f"{path}, line {line}, sentence bad: expected 10 columns")
    assert parse(model, [path], on_error="keep", **options)[0] == parsed + bad + parsed + bad
    before = (model.parent / "out.conllu").read_bytes()
    with pytest.raises(InputError, match=f"line {line}, sentence bad"):
        parse(model, [path], **options)
    assert (model.parent / "out.conllu").read_bytes() == before


def test_files_without_sentences_are_faults(model: Path) -> None:
    empty = model.parent / "empty.conllu"
    empty.write_bytes(b"# only a comment\n\n")
    with pytest.raises(InputError, match=r"empty\.conllu: expected sentences, found none"):
        parse(model, [TOY, empty])
    with pytest.raises(InputError, match=r"missing\.conllu: cannot read"):
        parse(model, [TOY, model.parent / "missing.conllu"])


def test_progress_is_told_in_bytes(model: Path) -> None:
    heard: list[tuple[str, int, int]] = []
    parse(model, [TOY, TOY], chunk_bytes=500, jobs=Jobs(progress=lambda *message: heard.append(message)))
    size = TOY.stat().st_size
    assert heard[-1] == ("parsing", 2 * size, 2 * size)
    assert heard == sorted(heard)
