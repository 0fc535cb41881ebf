"""Word clusters: the path of each word in a binary tree, so that words with a common prefix are alike.

The prefixes of a path are clusters of several sizes (Miller, Guinness & Zamanian 2004; Koo, Carreras & Collins 2008,
"Simple semi-supervised dependency parsing"): parsers and taggers know a word that their training data do not have by
the words that it is like.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

LENGTHS = (4, 6)  # of the prefixes that are clusters, besides the whole path
MAX_PATH = 4096  # bits

NAMES = (*(f"cluster{length}" for length in LENGTHS), "cluster")
"""Names of the clusters of a word as attributes in templates, and in FEATS of a parser: ``cluster4=0110``."""

_WORDS, _PATHS = "cluster_words", "cluster_paths"


@dataclass(frozen=True, repr=False)
class Clusters:
    """Words, each of which occurs once, with their paths of zeros and ones; ValueError if they do not fit together.

    >>> clusters = Clusters(("dog", "cat"), ("0100111", "0101"))
    >>> clusters.of("Dog"), clusters.of("cat"), clusters.of("fish")
    (('0100', '010011', '0100111'), ('0101', '0101', '0101'), ('', '', ''))
    """

    words: tuple[str, ...]
    paths: tuple[str, ...]
    _path_of: dict[str, str] = field(init=False, compare=False)

    def __post_init__(self) -> None:
        if len(self.paths) != len(self.words):
            raise ValueError("the number of paths of its clusters")
        object.__setattr__(self, "_path_of", dict(zip(self.words, self.paths, strict=True)))
        if len(self._path_of) < len(self.words):
            raise ValueError("a word of its clusters occurs twice")
        if not all(is_path(path) for path in set(self.paths)):
            raise ValueError("a path of its clusters")

    def __bool__(self) -> bool:
        return bool(self.words)

    def __repr__(self) -> str:
        return f"Clusters of {len(self.words)} words"

    def of(self, form: str) -> tuple[str, ...]:
        """Return the clusters of a form, else of the form in lower case, as ``NAMES``; empty if it has none."""
        path = self._path_of.get(form) or self._path_of.get(form.lower(), "")
        return (*(path[:length] for length in LENGTHS), path)

    def feats(self, form: str) -> list[str]:
        """Return the clusters of a form as values of FEATS, such as ``cluster4=0100``; none if it has none."""
        return [f"{name}={value}" for name, value in zip(NAMES, self.of(form), strict=True) if value]

    def texts(self) -> dict[str, tuple[str, ...]]:
        """Return the texts of a record; none for no clusters."""
        return {_WORDS: self.words, _PATHS: self.paths} if self else {}

    @staticmethod
    def from_texts(texts: Mapping[str, Sequence[str]]) -> Clusters:
        """Return the clusters of such texts; KeyError or ValueError if they do not fit together."""
        if _WORDS not in texts and _PATHS not in texts:
            return NONE
        return Clusters(tuple(texts[_WORDS]), tuple(texts[_PATHS]))


def is_path(path: str) -> bool:
    """Tell whether a string is a path."""
    return 0 < len(path) <= MAX_PATH and not path.strip("01")


NONE = Clusters((), ())
