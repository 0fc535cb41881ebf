"""Ids of documents: from the names of their files, each once."""

from __future__ import annotations

import itertools
import os
import re
from collections import Counter
from collections.abc import Sequence

from treevote.files.streams import stem


def document_ids(names: Sequence[str | os.PathLike[str]], prefix: str = "") -> list[str]:
    """Return an id for each file, ``# newdoc id`` and the beginning of its ``sent_id``; standard input alone has none.

    A prefix stands in front of each id with a hyphen between, and for that of standard input.

    It is the name without folder and suffix; for files of the same name, with the folders that they do not share; for
    the same file again, with a number. ``/`` becomes ``:``, for UD forbids it, and white space ``_``.

    >>> document_ids(["news/1.txt", "news/2.txt.gz"]), document_ids(["a/x.txt", "b/x.txt"]), document_ids(["x", "x"])
    (['1', '2'], ['a:x', 'b:x'], ['x', 'x-2'])
    >>> document_ids(["news/1.txt", "news/2.txt"], "my news"), document_ids(["-"], "n")
    (['my_news-1', 'my_news-2'], ['n'])
    >>> document_ids(["-"]), document_ids(["-", "my news.txt"])
    ([''], ['-', 'my_news'])
    """
    paths = [os.fspath(name).replace(os.sep, "/") for name in names]
    front = _as_id(prefix)
    if paths == ["-"]:
        return [front]
    bare = [stem(path)[0] for path in paths]
    ids = [path.rpartition("/")[2] for path in bare]
    if len({*ids}) < len({*bare}):
        is_comparable = len({*map(os.path.isabs, bare)}) == 1
        shared = os.path.commonpath([os.path.dirname(path) for path in bare]) if is_comparable else ""
        ids = [path.removeprefix(shared).lstrip("/") for path in bare]
    ids = [f"{front}-{_as_id(each)}" if front else _as_id(each) for each in ids]
    taken, seen = {*ids}, Counter[str]()
    found = []
    for each in ids:
        seen[each] += 1
        if seen[each] > 1:
            each = next(other for k in itertools.count(seen[each]) if (other := f"{each}-{k}") not in taken)
            taken.add(each)
        found.append(each)
    return found


def _as_id(name: str) -> str:
    return re.sub(r"\s", "_", name).replace("/", ":")
