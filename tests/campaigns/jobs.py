"""Jobs, backends, chunks, hash seeds and threads: the same bytes whatever the number."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path
from random import Random

from tests.campaigns.bench import CROSSING, RANGES, TOY, Bench, model_names
from tests.campaigns.campaign import Fault, Material, settings, with_settings
from tests.campaigns.commands import ROOT, TEXT
from treevote import parallel
from treevote.commands.parse import parse_files
from treevote.conll.reader import read
from treevote.conll.writer import dumps
from treevote.ensemble.members import known_members, members_of
from treevote.ensemble.parser import load, save
from treevote.ensemble.trainer import EnsembleTrainer
from treevote.models.parsers.graph.parser import GraphTrainer

QUICK = ("lr-svm-forward", "lr-svm-backward", "lr-maxent-forward", "pipeline", "decision-list")
BLOCKS = tuple(
    block + b"\n\n" for text in (TOY.read_bytes(), RANGES, CROSSING, TEXT) for block in text.strip().split(b"\n\n")
)


class Jobs:
    """Does the same work twice, side by side in different ways."""

    limit = 600.0
    memory: int | None = None

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.models = model_names()

    def make(self, rng: Random) -> Material:
        text = b"".join(rng.choices(BLOCKS, k=rng.choice((4, 10, 40))))
        members = rng.sample(QUICK, rng.randrange(1, 4))
        return with_settings(
            {"text": text},
            what=rng.choices(("parse", "threads", "train", "hash"), (10, 6, 2, 1))[0],
            model=rng.choice(self.models),
            jobs=rng.choice((2, 3)),
            backend=rng.choice((None, "loky", "threading", "threading", "sequential")),
            chunk=rng.choice((1, 100, 1000, 5000)),
            members=[*members, *(["graph-perceptron"] if rng.random() < 0.2 else [])],
            settings={"weights": rng.choice(("equal", "accuracy", "pos")), "select": rng.random() < 0.3, "folds": 2},
            seed=rng.randrange(100),
        )

    def check(self, material: Material) -> list[Fault]:
        asked, text = settings(material), material["text"]
        path = self.bench.scratch / "in.conllu"
        path.write_bytes(text)
        model = self.bench.model(asked["model"])
        match asked["what"]:
            case "parse":
                one = self.parse(model, path)
                other = self.parse(model, path, asked["jobs"], asked["backend"], asked["chunk"])
            case "threads":
                return self.threads(model, path)
            case "train":
                first, second = (
                    self.trained(asked, path, 1, None),
                    self.trained(asked, path, asked["jobs"], asked["backend"]),
                )
                return different("jobs make no difference to a training", first, second)
            case _:
                one, other = (self.hashed(model, path, seed) for seed in (1, 2 + asked["seed"]))
        return different(f"jobs, chunks and hash seeds make no difference to a parse of {asked['model']}", one, other)

    def parse(self, model: Path, path: Path, jobs: int = 1, backend: str | None = None, chunk: int = 1 << 20) -> bytes:
        """Parse a file."""
        output = self.bench.scratch / "out.conllu"
        parse_files(model, [path, path], output, jobs=parallel.Jobs(jobs, backend), chunk_bytes=chunk, support=True)
        return output.read_bytes()

    def threads(self, model: Path, path: Path) -> list[Fault]:
        """Let several threads share a parser."""
        parser, treebank = load(model), read(path)
        expected = dumps(load(model).parse(treebank))
        parts = [treebank.select(range(i % treebank.n_sentences, treebank.n_sentences)) for i in range(4)]
        alone = [dumps(load(model).parse(part)) for part in parts]
        found = [""] * 8
        barrier = threading.Barrier(8)

        def work(i: int) -> None:
            barrier.wait()
            found[i] = dumps(parser.parse(treebank if i % 2 else parts[i // 2]))

        workers = [threading.Thread(target=work, args=(i,)) for i in range(8)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        right = [expected if i % 2 else alone[i // 2] for i in range(8)]
        return different("threads may share a parser", right, found)

    def trained(self, asked: dict[str, object], path: Path, jobs: int, backend: str | None) -> dict[str, bytes]:
        """Train a model; return its files."""
        model = self.bench.scratch / "trained"
        shutil.rmtree(model, ignore_errors=True)
        names = [name for name in known_members() if name in asked["members"]]  # type: ignore[operator]
        members = members_of(names)
        if "graph-perceptron" in members:
            members["graph-perceptron"] = GraphTrainer(learner="perceptron", bits=10, epochs=2)
        trainer = EnsembleTrainer(members, **asked["settings"])  # type: ignore[arg-type]
        save(trainer.train(read(path), jobs=parallel.Jobs(jobs, backend), seed=int(str(asked["seed"]))), model)
        return {file.name: file.read_bytes() for file in sorted(model.iterdir())}

    def hashed(self, model: Path, path: Path, seed: int) -> bytes:
        """Parse in a process with another seed of the hashes."""
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "PYTHONHASHSEED": str(seed)}
        arguments = [sys.executable, "-m", "treevote", "parse", str(model), str(path), "--support"]
        return subprocess.run(arguments, env=environment, capture_output=True, check=True).stdout


def different(law: str, one: object, other: object) -> list[Fault]:
    """Return a fault if two results differ."""
    return [] if one == other else [Fault("difference", law, f"{str(one)[:3000]}\n\n{str(other)[:3000]}")]
