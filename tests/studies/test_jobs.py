"""Jobs of a study: each is done once, and a result that is damaged or forged is made again."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.reference.toy_grammar import toy_treebank
from tests.reference.toy_parser import SMALL
from treevote.errors import ConfigError, InputError
from treevote.parallel import ONE_JOB, Jobs, Progress
from treevote.store.checkpoints import PLAN, checkpoints
from treevote.store.manifest import JSON
from treevote.studies import jobs as cached
from treevote.studies.jobs import Job, Parsing, compact

TOY = toy_treebank(90, 1, crossing=True)
PARSING = Parsing("toy", SMALL, compact(TOY), compact(toy_treebank(5, 2)), 0)


@dataclass(frozen=True)
class Square:
    """The "trainer" of a job that notes in a folder how often it was computed."""

    number: int
    log: str

    @property
    def times(self) -> int:
        return len(Path(self.log, str(self.number)).read_text().splitlines())


class Squaring(Job[int]):
    def compute(self, progress: Progress | None) -> JSON:
        if self.seed:  # not the reduced job
            if self.trainer.number < 0:
                raise InputError("a number below 0")
            with Path(self.trainer.log, str(self.trainer.number)).open("a") as file:
                file.write("computed\n")
        return int(self.trainer.number**2)

    def decode(self, result: Any) -> int:
        return int(result)

    def reduced(self) -> Squaring:
        return dataclasses.replace(self, seed=0)


def squaring(number: int, log: Path) -> Squaring:
    return Squaring(str(number), Square(number, str(log)), TOY, TOY, 1)


def run(work: list[Squaring], folder: Path, jobs: Jobs = ONE_JOB) -> list[int]:
    with checkpoints(folder, {}, work="study") as steps:
        return cached.run(work, steps, jobs)


def test_a_job_is_done_once(tmp_path: Path) -> None:
    jobs = [squaring(number, tmp_path) for number in (3, 1, 3, 2)]
    assert run(jobs, tmp_path / "jobs") == [9, 1, 9, 4]
    assert run(jobs[::-1], tmp_path / "jobs", jobs=Jobs(2, "threading")) == [4, 9, 1, 9]
    assert [job.trainer.times for job in jobs] == [1, 1, 1, 1]


def test_jobs_done_before_an_interruption_are_kept(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="below 0"):
        run([squaring(number, tmp_path) for number in (1, 2, -1, 3)], tmp_path / "jobs")
    jobs = [squaring(number, tmp_path) for number in (1, 2, 3)]
    assert run(jobs, tmp_path / "jobs") == [1, 4, 9]
    assert [job.trainer.times for job in jobs] == [1, 1, 1]


@pytest.mark.parametrize("damage", [b"", b"{", b"null", b"[]", b'{"job":{},"result":16}', b"\xff", b"[" * 100_000])
def test_a_damaged_file_is_replaced(tmp_path: Path, damage: bytes) -> None:
    job = squaring(4, tmp_path)
    run([job], tmp_path / "jobs")
    (path,) = (path for path in (tmp_path / "jobs").iterdir() if path.name != PLAN)
    whole = path.read_bytes()
    path.write_bytes(damage)
    assert run([job], tmp_path / "jobs") == [16]
    assert path.read_bytes() == whole
    assert job.trainer.times == 2


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        run([squaring(1, tmp_path)], tmp_path / "file" / "jobs")


def test_a_folder_with_something_else_in_it_is_refused(tmp_path: Path) -> None:
    (tmp_path / "letter").write_text("dear")
    with pytest.raises(ConfigError, match="holds something else than a study"):
        run([squaring(1, tmp_path)], tmp_path)
    with checkpoints(tmp_path / "own", {}, work="adaptation"):
        pass
    with pytest.raises(ConfigError, match="is not the plan of a study"):
        run([squaring(1, tmp_path)], tmp_path / "own")


def test_a_parse_comes_back_from_its_file() -> None:
    result = json.loads(json.dumps(PARSING.compute(None)))
    expected = SMALL.train(PARSING.training).parse(PARSING.test)
    found = PARSING.decode(result)
    assert found.heads.tolist() == expected.heads.tolist()
    assert [s.deprels for s in found.sentences()] == [s.deprels for s in expected.sentences()]


@pytest.mark.parametrize(
    "forged",
    [
        {"heads": []},
        {"heads": [10**6] * PARSING.test.n_tokens},
        {"heads": [10**30] * PARSING.test.n_tokens},
        {"heads": [-1] * PARSING.test.n_tokens},
        {"heads": [1.5] * PARSING.test.n_tokens},
        {"heads": [1] * PARSING.test.n_tokens},  # the first is its own head
        {"heads": "none"},
        {"deprels": [99] * PARSING.test.n_tokens},
        {"labels": []},
        {"labels": 3},
    ],
)
def test_a_forged_parse_is_refused(forged: dict[str, Any]) -> None:
    sound: Any = {"heads": [0] * PARSING.test.n_tokens, "deprels": [0] * PARSING.test.n_tokens, "labels": ["root"]}
    PARSING.decode(sound)
    with pytest.raises((TypeError, ValueError, OverflowError, InputError)):
        PARSING.decode({**sound, **forged})


def test_the_facts_of_a_job_tell_all_settings_apart() -> None:
    others = [
        dataclasses.replace(PARSING, seed=1),
        dataclasses.replace(PARSING, trainer=dataclasses.replace(SMALL, cutoff=2)),
        dataclasses.replace(PARSING, training=PARSING.test),
        dataclasses.replace(PARSING, test=PARSING.training),
    ]
    texts = [json.dumps(job.facts(), sort_keys=True) for job in (PARSING, *others)]
    assert len(set(texts)) == len(texts)
    assert json.dumps(dataclasses.replace(PARSING, title="other").facts(), sort_keys=True) == texts[0]
