"""Answers in JSON: all commands name schema, version, and what made them."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

from typer.main import get_command

import treevote
from tests.command_line import invoke, run
from tests.paths import TOY
from treevote.cli import application
from treevote.conll.reader import read
from treevote.conll.writer import write

MEMBERS = ("--members", "lr-svm-forward,lr-svm-backward")


def test_answers_in_json_name_their_schema_and_what_made_them(tmp_path: Path) -> None:
    model, parse = tmp_path / "model", tmp_path / "parse.conllu"
    source, few = ("--train", TOY, "--dev", TOY), tmp_path / "few.conllu"
    write(read(TOY)[:3], few)
    commands: dict[str, tuple[object, ...]] = {
        "training": ("train", *source, "--from-tokens", *MEMBERS, "-o", model, "--json"),
        "model": ("inspect", model, "--json"),
        "parsing": ("parse", model, TOY, "--confidence", "-o", parse, "--json"),
        "folder": ("parse", model, TOY, "--output-dir", tmp_path / "out", "--json"),
        "evaluation": ("evaluate", TOY, parse, "--json"),
        "reliability": ("reliability", TOY, parse, "--json"),
        "cascade": ("cascade", model, TOY, "--json"),
        "vote": ("vote", parse, parse, parse, "-o", tmp_path / "vote.conllu", "--json"),
        "adaptation": ("adapt", model, TOY, *source, "--rounds", "1", "-o", tmp_path / "new", "--json"),
        "diagnosis": ("doctor", TOY, "--members", "lr-svm-forward", "--work", tmp_path / "work", "--json"),
        "selection": ("next", model, few, "-o", tmp_path / "next.conllu", "--arcs", "0", "--json"),
    }
    answers = {}
    for schema, command in commands.items():
        words = [*map(str, command)]
        answer = answers[schema] = json.loads(invoke(*words).stdout)
        assert [*answer][:4] == ["schema", "schema_version", "command", "versions"]
        assert (answer["schema"], answer["schema_version"]) == (f"treevote/{schema}", 1)
        assert answer["command"] == shlex.join(["treevote", *words])
        assert answer["versions"]["treevote"] == treevote.__version__
    assert answers["parsing"]["sentences"] == answers["folder"]["sentences"] == read(TOY).n_sentences
    assert answers["training"]["members"] == ["lr-svm-forward", "lr-svm-backward"]
    assert answers["evaluation"]["systems"][0]["reliability"] == {
        key: answers["reliability"][key] for key in ("arc", "label")
    }
    for chosen in answers["selection"]["sentences"]:
        assert chosen["doubtful"] == [*range(1, chosen["tokens"] + 1)], "positions of tokens, from 1"
    able = {
        name
        for name, command in get_command(application()).commands.items()  # type: ignore[attr-defined]
        if any("--json" in param.opts for param in command.params)
    }
    assert able == {str(command[0]) for command in commands.values()}
    for refused in (("parse", model, TOY, "--json"), ("inspect", model, "--json", "--rules")):
        run(*refused, code=1)
