"""Whatever a text holds, the time that it takes grows with its length alone."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

from treevote.corpus.sentence import ROOT, Word
from treevote.corpus.treebank import Treebank
from treevote.models.learning.features.firing import MAX_MEMBERS
from treevote.models.learning.features.lexicon import MAX_FEATS, Lexicon
from treevote.models.parsers.labelling.features import Sentence as Tree
from treevote.models.parsers.labelling.features import common_feats

LINE = r"1\ta\t_\t_\t_\t_\t0\troot\t_\t_\n\n"
HANGS = {
    "spaces in a sent_id": """
        from treevote.corpus.sentence import sent_id
        assert sent_id(["# sent_id = a" + " " * 300_000 + "b "])[-2:] == " b"
    """,
    "spaces in the name of a document": """
        from treevote.evaluation.factors import documents
        treebank = read(io.BytesIO(("# newdoc id = a" + " " * 300_000 + "b \\n" + LINE).encode()))
        assert documents(treebank)[0][-2:] == " b"
    """,
    "spaces in the name of a domain": """
        from treevote.evaluation.factors import domains
        treebank = read(io.BytesIO(("# genre = a" + " " * 300_000 + "b \\n" + LINE).encode()))
        assert domains(treebank)[0][-2:] == " b"
    """,
    "names of sentences in many pieces": """
        from treevote.evaluation.factors import domains
        names = ["a-" * 200_000 + last for last in "bc"]
        treebank = read(io.BytesIO("".join(f"# sent_id = {name}\\n{LINE}" for name in names).encode()))
        assert domains(treebank) == names
    """,
    "spaces in a choice of sentences": """
        from treevote.commands.show import numbers_of
        from treevote.corpus.treebank import Treebank
        from treevote.errors import InputError
        try:
            numbers_of("5" + " " * 300_000 + "x", Treebank.of([(["a"], [0], ["root"])]))
        except InputError:
            pass
    """,
    "names of systems that begin and end alike": """
        from treevote.evaluation.names import stems
        name = "a" * 2_000_000
        assert stems([f"{name}/{i}.{name}" for i in "xy"]) == ["x", "y"]
    """,
    "sentences for the conllu package": """
        from treevote.conll.tokenlists import to_tokenlists
        text = "# c\\n" * 2_000_000 + "\\n" + LINE * 20_000
        assert len(to_tokenlists(read(io.BytesIO(text.encode())))) == 20_000
    """,
    "a sentence that comes in small pieces": """
        from treevote.conll.chunks import chunks
        text = b"# text\\n" * (1 << 19)
        assert [chunk.text for chunk in chunks(io.BytesIO(text), n_bytes=8)] == [text]
    """,
    "FEATS by FEATS of a configuration": """
        import numpy as np
        from treevote.models.learning.features.firing import MAX_FEATURES, fire_set
        from treevote.models.learning.features.lexicon import WordColumns
        n = 1_000_000
        feats = np.arange(n, dtype=np.int32)
        words = WordColumns(np.zeros((1, 15), np.int32), feats, feats, np.array([0, n], np.int32))
        keys, values = np.zeros(MAX_FEATURES, np.uint64), np.ones(2, np.int64)
        assert fire_set(words, 0, 1, values, np.uint64(7), keys, 10, MAX_FEATURES) == MAX_FEATURES
        assert len(set(keys[10:].tolist())) == MAX_FEATURES - 10
        assert fire_set(words, 0, -1, values, np.uint64(7), keys, 10, MAX_FEATURES) == MAX_FEATURES
    """,
    "FEATS by FEATS of an arc": """
        import numpy as np
        from treevote.models.learning.features.lexicon import WordColumns
        from treevote.models.parsers.graph.features import MAX_FEATURES, arc_keys, fire_arc
        from treevote.models.parsers.graph.templates import compile_arcs
        n, table = 500_000, compile_arcs(["h.feat+d.feat"])
        feats = np.arange(n, dtype=np.int32)
        words = WordColumns(np.zeros((1, 15), np.int32), feats, feats, np.array([0, n], np.int32))
        keys = arc_keys(table, np.zeros(3, np.int32), words)
        assert fire_arc(keys, table.splits, 28, 1, 2, np.zeros(MAX_FEATURES, np.uint32)) == MAX_FEATURES
    """,
}


@pytest.mark.parametrize("hang", HANGS)
def test_nothing_hangs(hang: str) -> None:
    setup = f"import io\nfrom treevote.conll.reader import read\nLINE = '{LINE}'\n"
    lines = HANGS[hang].split("\n")
    code = setup + "\n".join(line.removeprefix(" " * 8) for line in lines)
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)


def long_feats(n: int) -> Word:
    return Word("w", "_", "_", "_", "|".join(f"A{i}=1" for i in range(n)))


def test_of_long_feats_the_first_values_are_seen() -> None:
    most, more = long_feats(MAX_FEATS), long_feats(20_000)
    lexicon = Lexicon.of(Treebank.of([([more, most], [2, 0], ["a", "root"])]))
    columns = lexicon.columns((ROOT, more, most))
    of_more, of_most = (columns.feats[first:last].tolist() for first, last in pairwise(columns.feats_offsets[1:]))
    assert of_more == of_most
    assert len(of_most) == MAX_FEATS
    unknown = Word("w", "_", "_", "_", "|".join(["X=1"] * 20_000 + ["A7=1"]))
    assert lexicon.columns((ROOT, unknown)).feats.tolist() == lexicon.columns((ROOT, long_feats(8))).feats.tolist()[7:]


@pytest.mark.parametrize("feats", ["A0=1|" * 20_000 + "A1=1", "|".join(f"A{i}=1" for i in range(20_000))])
def test_feats_that_are_shared_are_few(feats: str) -> None:
    words = (ROOT, Word("v", "_", "_", "_", feats), Word("w", "_", "_", "_", feats))
    columns = Lexicon.of(Treebank.of([(words[1:], [2, 0], ["a", "root"])])).columns(words)
    heads, members = np.array([-1, 2, 0], np.int32), np.zeros(MAX_MEMBERS, np.int32)
    tree = Tree(np.arange(3, dtype=np.int32), heads, heads, np.zeros((3, 0), np.int32))
    found = common_feats(tree, 1, columns, members)
    assert len(columns.feats) <= 2 * MAX_FEATS
    assert members[:found].tolist() == sorted(set(columns.feats.tolist()))[:MAX_MEMBERS]
