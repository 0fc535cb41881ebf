"""The experiments behind the figures: each runs commands of treevote, and returns names of treebanks and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import files
from pathlib import Path

import numpy as np

from benchmarks.choosing import POOLS, choosing
from benchmarks.domains import FITTED, NEW, OTHER_LANGUAGES, domains
from benchmarks.keeping import KEPT, keep
from benchmarks.load import load_of_small
from benchmarks.measure import run
from benchmarks.network import ABLATED, NETWORKED, UNTAGGED, ablation, best_text, network
from benchmarks.packages import PACKAGED, packages
from benchmarks.planted import DOCTORED, doctor
from benchmarks.systems import (
    FAST,
    TREEVOTE,
    VOTE,
    WITHOUT_TAGS,
    OtherSystem,
    System,
    answer,
    compared,
    part,
    plain,
    scores,
    sentences_of,
    short,
    systems,
    treebank_files,
    write_sentences,
)
from benchmarks.tables import Table
from benchmarks.trade_offs import TRADED, trade_offs
from benchmarks.vectors import LANGUAGES, TARGETS, target_vectors, vectors

TREEBANKS = ("UD_Greek-GDT", "UD_Hungarian-Szeged", "UD_Swedish-LinES")  # folders of treebanks

PARTIAL = ("UD_Swedish-LinES",)
"""Half-done treebanks: so many whole trees and partial ones, whose words have a head by a chance."""
WHOLE_AND_PARTIAL, GIVEN = (500, 1500), 0.3

SMALL = "UD_Hungarian-Szeged"  # the treebank on which all systems are compared: UDPipe takes long to train

OTHERS = "vote of four older parsers"
"""Equal vote of two parsers of MaltParser, of UDPipe 1 and YaraParser; nothing of them but their trees is measured."""

PAIR = "wsj-to-bio"  # folder of an adaptation: source.train, source.dev, target.unlabeled and target.dev

SYSTEMS_OF_README = ("UDPipe 1", OTHERS, "LR, greedy", "default vote", "best vote")

SENTENCES, LABELLED, EVERY = 4000, 100, 13
"""Of the text without trees the first sentences; of the labelled ones every thirteenth, until there are a hundred."""

FROM_TEXT, FAST_FROM_TEXT = System("from text", ("--from-text",)), System("fast", ("--from-text", "--fast"))
STAGES = ("Tokens", "Sentences", "UPOS", "UFeats", "AllTags", "Lemmas", "UAS", "LAS")

Tables = Mapping[str, Table]


def results(data: Path, work: Path) -> Tables:
    """Measure the members, the default vote and the fast parser on gold tags, and the confidence of the vote."""
    las: dict[str, list[float]] = {}
    confidence = []
    for own in TREEBANKS:
        folder = treebank_files(data, own, work)
        test, vote, fast = folder / "test.conllu", VOTE.trained(folder)[0], FAST.trained(folder)[0]
        for member in answer("inspect", vote)["members"]:
            las.setdefault(f"`{member}`", []).append(VOTE.scores(vote, test, "--member", member)[0])
        las.setdefault("default vote", []).append(VOTE.scores(vote, test, "--confidence")[0])
        arcs, labels = (answer("reliability", test, test.with_stem("parse"))[kind] for kind in ("arc", "label"))
        confidence.append([short(own), arcs["error"], labels["error"], labels["coverage"], labels["precision"]])
        las.setdefault("`--fast`", []).append(FAST.scores(fast, test)[0])
    rows = [[name, *several] for name, several in las.items()]
    columns = {"": 0, "error, arcs": 3, "error, with labels": 3, "at least 0.95, %": 2, "of these right, %": 2}
    return {
        "results": {"columns": {"": 0, **dict.fromkeys(map(short, TREEBANKS), 2)}, "rows": rows},
        "confidence": {"columns": columns, "rows": confidence},
    }


def raw_text(data: Path, work: Path) -> Tables:
    """Measure what is lost from gold tags to running text."""
    rows = []
    for own in TREEBANKS:
        name, folder = short(own), treebank_files(data, own, work)
        stages = answer("cascade", FROM_TEXT.trained(folder)[0], folder / "test.conllu")["stages"]
        rows += [[name, given, *(found[metric] for metric in STAGES)] for given, found in stages.items()]
    las = {given: [row[-1] for row in rows if row[1] == given] for given in dict.fromkeys(row[1] for row in rows)}
    return {
        "raw-text": {
            "columns": {"": 0, **dict.fromkeys(map(short, TREEBANKS), 2)},
            "rows": [[given, *several] for given, several in las.items()],
        },
        "cascade": {"columns": {"": 0, "given": 0, **dict.fromkeys(STAGES, 2)}, "rows": rows},
    }


def comparison(data: Path, work: Path) -> Tables:
    """Measure all systems on one treebank."""
    folder = treebank_files(data, SMALL, work)
    table = compared(folder, systems(), rounds=3, repeat=8)
    table["rows"][1:1] = _vote_of_others(data, folder)
    few = [row for row in table["rows"] if row[0] in SYSTEMS_OF_README]
    return {"systems": table, "systems-of-readme": {**table, "rows": few}}


def _vote_of_others(data: Path, folder: Path) -> list[list[str | float]]:
    """Return the row of the equal vote of the parses in the folder ``systems/NAME``; none if it is not there.

    The parser with the best parse of the development data is named first, for ties are broken in its favour.
    """
    dev, test = (
        [
            plain(path, folder / path.name.removesuffix(".xz"))
            for path in sorted(data.glob(f"**/systems/{folder.name}/*.{name}.conllu*"))
        ]
        for name in ("dev", "test")
    )
    if not test:
        return []
    rates = [scores(folder / "dev.conllu", parse) for parse in dev]
    best_first = sorted(range(len(rates)), key=rates.__getitem__, reverse=True)
    voted = folder / "others.conllu"
    run([*TREEVOTE, "vote", *(str(test[i]) for i in best_first), "-o", str(voted)])
    return [[OTHERS, *scores(folder / "test.conllu", voted), "–", "–", "–"]]


def tokens(data: Path, work: Path) -> Tables:
    """Measure spaCy and treevote on tokens without tags."""
    several = [
        OtherSystem("spaCy", ("--language", "hu"), module="benchmarks.spacy_parser"),
        System("treevote, fast", ("--from-tokens", "--fast"), WITHOUT_TAGS),
        System("treevote, default vote", ("--from-tokens",), WITHOUT_TAGS),
    ]
    return {"tokens": compared(treebank_files(data, SMALL, work), several, rounds=3, repeat=8)}


def quickstart(data: Path, work: Path) -> Tables:
    """Run the first command of the README, and keep the end of what it prints."""
    lines = run([*TREEVOTE, "quickstart", "--output", str(work / "quickstart")]).output.splitlines()
    first, vote, last = (
        next(i for i, line in enumerate(lines) if line.startswith(start)) for start in ("trained", "vote  ", "vote (a")
    )
    return {"quickstart": {"lines": [*lines[first : vote + 1], "...", lines[last]]}}


def adaptation(data: Path, work: Path) -> Tables:
    """Measure a model before and after its adaptations to a new domain."""
    folder = treebank_files(data, PAIR, work)
    text, labelled, rest = (folder / f"{name}.conll" for name in ("text", "labelled", "rest"))
    sentences = sentences_of(folder / "target.dev.conll")
    chosen = range(0, len(sentences), EVERY)[:LABELLED]
    write_sentences(labelled, [sentences[i] for i in chosen])
    write_sentences(rest, [sentence for i, sentence in enumerate(sentences) if i not in chosen])
    write_sentences(text, sentences_of(folder / "target.unlabeled.conll")[:SENTENCES])
    without_folds = folder / "no-folds.toml"
    without_folds.write_text("[scheme]\ntarget_folds = 0\n", "utf-8")
    model = VOTE.trained(folder)[0]
    train, dev = part(folder, "train"), part(folder, "dev")
    given = ("--train", train, "--dev", dev, "--target-dev", rest, "--force")
    ways: dict[str, tuple[str | Path, ...]] = {
        "before": (),
        "text without trees": (text,),
        "a hundred labelled sentences": ("--target-train", labelled, "--config", without_folds),
    }
    rows = []
    for name, words in ways.items():
        adapted = folder / name.replace(" ", "-") if words else model
        if not adapted.exists():
            answer("adapt", model, *words, *given, "-o", adapted)
        rows.append([name, *(score for gold in (rest, dev) for score in VOTE.scores(adapted, gold)[:2])])
    columns = {"": 0, "LAS": 2, "UAS": 2, "old domain: LAS": 2, "old domain: UAS": 2}
    return {"adaptation": {"columns": columns, "rows": rows}}


def partial(data: Path, work: Path) -> Tables:
    """Measure what partial trees are worth, by development data: without them, with them, and as whole trees."""
    rows: dict[tuple[str, str], list[float]] = {}
    for own in PARTIAL:
        folder = treebank_files(data, own, work)
        sentences = sentences_of(folder / "train.conllu")[: sum(WHOLE_AND_PARTIAL)]
        whole, rest = sentences[: WHOLE_AND_PARTIAL[0]], sentences[WHOLE_AND_PARTIAL[0] :]
        random = np.random.default_rng(0)
        ways = {"whole trees alone": [], "and partial trees": [_with_gaps(one, random) for one in rest]}
        for title, others in (ways | {"and the same trees, whole": rest}).items():
            model = folder / title.replace(",", "").replace(" ", "-")
            file = model.with_suffix(".conllu")
            write_sentences(file, [*whole, *others])
            if not model.exists():
                run([*TREEVOTE, "train", str(file), "-o", str(model), "--folds", "0"])
            for member in (*answer("inspect", model)["members"], "vote"):
                options = ("--member", member) if member != "vote" else ()
                las, *_ = VOTE.scores(model, folder / "dev.conllu", *options)
                rows.setdefault((member, title), []).append(las)
    table = [[*key, *several] for key, several in sorted(rows.items(), key=lambda row: row[0][0])]
    return {"partial": {"columns": {"": 0, "trained on": 0, **dict.fromkeys(map(short, PARTIAL), 2)}, "rows": table}}


def _with_gaps(sentence: str, random: np.random.Generator) -> str:
    """Return a sentence in which each word has its head and label by the chance of ``GIVEN``, else none."""
    lines = [line.split("\t") for line in sentence.split("\n")]
    for columns in lines:
        if len(columns) == 10 and columns[0].isdigit() and random.random() >= GIVEN:
            columns[6] = columns[7] = "_"
    return "\n".join(map("\t".join, lines))


def tutorial(data: Path, work: Path) -> Tables:
    """Run the commands of the tutorial on its own treebanks, and keep what they print."""
    folder = work / "tutorial"
    folder.mkdir(parents=True, exist_ok=True)
    found = {file.name: Path(str(file.locate())) for file in files("turkish-treebanks") or ()}
    web, wiki = (sentences_of(found[name]) for name in ("web.conllu", "wiki.conllu"))
    write_sentences(folder / "train.conllu", web[::3])
    write_sentences(folder / "dev.conllu", web[1::9])
    test, model, vote, printed = (folder / name for name in ("test.conllu", "model", "ensemble", "train.txt"))
    write_sentences(test, wiki[::2])
    if not printed.exists():
        printed.write_text(run(FAST_FROM_TEXT.train(folder, model)).output, "utf-8")
        run(VOTE.train(folder, vote))
    text, parsed, voted, single = map(folder.joinpath, ("test.txt", "parsed.conllu", "voted.conllu", "single.conllu"))
    run([*TREEVOTE, "text", str(test), "-o", str(text)])
    run(FAST_FROM_TEXT.parse(model, text, parsed))
    run(VOTE.parse(vote, test, voted))
    run([*VOTE.parse(vote, test, single), "--member", next(iter(answer("inspect", vote)["members"]))])
    scored, cascaded, compared = (
        run([*TREEVOTE, *map(str, words)]).output.splitlines()
        for words in (("evaluate", test, parsed), ("cascade", model, test), ("evaluate", test, voted, single))
    )
    first = next(i for i, line in enumerate(compared) if line.startswith("LAS "))
    return {
        "tutorial-train": {"lines": [*printed.read_text("utf-8").splitlines()[:7], "..."]},
        "tutorial-evaluate": {"lines": scored[:4]},
        "tutorial-cascade": {"lines": cascaded[:4]},
        "tutorial-compare": {"lines": [compared[0], "...", *compared[first : first + 2]]},
    }


EXPERIMENTS: dict[str, tuple[Sequence[str], Callable[[Path, Path], Tables]]] = {
    "results": ([*map(short, TREEBANKS)], results),
    "raw-text": ([*map(short, TREEBANKS)], raw_text),
    "adaptation": ([PAIR], adaptation),
    "comparison": ([SMALL], comparison),
    "tokens": ([SMALL], tokens),
    "network": (NETWORKED, network),
    "ablation": (ABLATED, ablation),
    "best-text": (UNTAGGED, best_text),
    "vectors": ([name for name, _ in LANGUAGES.values()], vectors),
    "target-vectors": (list(TARGETS.values()), target_vectors),
    "domains": ((*FITTED, *NEW, *OTHER_LANGUAGES), domains),
    "doctor": ([*map(short, DOCTORED)], doctor),
    "keep": ([*map(short, KEPT)], keep),
    "next": ([*map(short, POOLS)], choosing),
    "load": (["UD_Hungarian-Szeged"], load_of_small),
    "packages": ([origin.folder for origin in PACKAGED.values()], packages),
    "partial": ([*map(short, PARTIAL)], partial),
    "trade-offs": (TRADED, trade_offs),
    "tutorial": (["turkish-treebanks"], tutorial),
    "quickstart": (["turkish-treebanks"], quickstart),
}
"""The experiments by the names of their files, with the names of their treebanks."""
