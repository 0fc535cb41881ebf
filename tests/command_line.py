"""Commands as a person types them, run in this process."""

from __future__ import annotations

from pathlib import Path

from typer.testing import CliRunner, Result

from treevote.cli import application_for

ONE = "1\tdogs\tdog\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tbark\tbark\tVERB\t_\t_\t0\troot\t_\t_\n\n"
TWO = "1\tcats\tcat\tNOUN\t_\t_\t2\tnsubj\t_\t_\n2\tpurr\tpurr\tVERB\t_\t_\t0\troot\t_\t_\n\n"


def sentence(*heads: int) -> str:
    """Return a sentence in CoNLL-U with the heads of its tokens."""
    return "".join(f"{i}\tw{i}\t_\tX\t_\t_\t{head}\tx\t_\t_\n" for i, head in enumerate(heads, 1)) + "\n"


def invoke(*arguments: object, stdin: bytes | None = None) -> Result:
    """Run a command; return its exit code and what it wrote."""
    words = [str(argument) for argument in arguments]
    return CliRunner().invoke(application_for(words), words, input=stdin)


def run(*arguments: object, code: int = 0, stdin: bytes | None = None) -> str:
    """Run a command; return what it wrote to standard output, or to standard error if it should fail."""
    result = invoke(*arguments, stdin=stdin)
    assert result.exit_code == code, (result.output, result.exception)
    return result.stderr if code else result.stdout


def fails(*arguments: object) -> str:
    """Run a command that should fail with one sentence; return the sentence."""
    sentence = run(*arguments, code=1)
    assert sentence.startswith("treevote: ")
    assert sentence.count("\n") == 1
    assert "Traceback" not in sentence
    return sentence


def content(folder: Path) -> dict[str, bytes]:
    """Return the files in a folder by name."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
