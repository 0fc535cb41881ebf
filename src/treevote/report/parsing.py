"""A parse of files as a sentence and as JSON: of one output, and of a folder of them."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator

from treevote.commands.folder_outputs import FolderSummary
from treevote.commands.parse import Summary
from treevote.ensemble.familiarity import Expectation
from treevote.report.answer import answer
from treevote.terminal import plural


def files_text(summary: Summary) -> str:
    """Return the summary of a parse as a sentence, and the accuracy to expect."""
    counts = f"{plural(summary.sentences, 'sentence')}, {plural(summary.tokens, 'token')}"
    done = f"parsed {counts} in {_time_and_speed(summary)}"
    done += f"; {summary.faults:,} with faults, first {summary.first_fault}" if summary.faults else ""
    return _with_expectation(done, summary.expectation)


def files_json(summary: Summary, output: str | os.PathLike[str], command: str = "") -> str:
    """Return the summary of a parse as JSON."""
    facts = {field.name: getattr(summary, field.name) for field in dataclasses.fields(summary)}
    first = None if summary.first_fault is None else str(summary.first_fault)
    facts["expectation"] = None if summary.expectation is None else summary.expectation.as_dict()
    return answer("parsing", {"output": os.fspath(output), **facts, "first_fault": first}, command)


def folder_text(summary: FolderSummary) -> str:
    """Return the summary of a run over many files as a sentence, and the accuracy to expect."""
    counts = f"{plural(summary.sentences, 'sentence')}, {plural(summary.tokens, 'token')}"
    written = f"wrote {plural(summary.written, 'file')}, {counts} in {_time_and_speed(summary)}"
    parts = [f"{summary.folder}: {written}"]
    if summary.kept:
        were = "was" if summary.kept == 1 else "were"
        parts.append(f"{plural(summary.kept, 'file')} of the same model and input {were} there")
    if summary.faults:
        parts.append(f"{plural(summary.faults, 'faulty sentence')} left out or unparsed")
    if summary.faulty:
        parts.append(f"{plural(len(summary.faulty), 'file')} with a fault, not parsed")
    return _with_expectation("; ".join(parts), summary.expectation)


def _time_and_speed(summary: Summary | FolderSummary) -> str:
    """Return the time of a parse, and its speed if it has one."""
    speed = f" ({summary.tokens / summary.seconds:,.0f} tokens/s)" if summary.seconds and summary.tokens else ""
    return f"{summary.seconds:.1f} s{speed}"


def _with_expectation(done: str, expectation: Expectation | None) -> str:
    """Return a sentence, and behind it a line on the accuracy to expect."""
    return done if expectation is None else f"{done}\n{expectation}"


def folder_warnings(summary: FolderSummary) -> Iterator[str]:
    """Yield a sentence on files that may be unfit for the model, and one on links that were not followed."""
    if summary.doubtful:
        (path, reason), more = summary.doubtful[0], len(summary.doubtful) - 1
        others = f" (and {plural(more, 'other file')}, see --json)" if more else ""
        yield f"{path}: {reason}{others}"
    if summary.links:
        first, more = summary.links[0], len(summary.links) - 1
        others = f" (and {more:,} more, see --json)" if more else ""
        yield f"{first}{others}: links to folders are not followed; name them as inputs to parse their files"


def folder_json(summary: FolderSummary, command: str = "") -> str:
    """Return the summary of a run over many files as JSON."""
    facts = {
        "folder": summary.folder,
        "written": summary.written,
        "kept": summary.kept,
        "faulty": [{"input": path, "reason": str(fault), "line": fault.line} for path, fault in summary.faulty],
        "doubtful": [{"input": path, "reason": reason} for path, reason in summary.doubtful],
        "links_not_followed": summary.links,
        "sentences": summary.sentences,
        "tokens": summary.tokens,
        "faulty_sentences": summary.faults,
        "fallbacks": summary.fallbacks,
        "expectation": None if summary.expectation is None else summary.expectation.as_dict(),
        "seconds": round(summary.seconds, 3),
    }
    return answer("folder", facts, command)
