"""A component for spaCy, ``nlp.add_pipe("treevote", config={"model": "model"})``, and a tokenizer.

The component parses the tokens of spaCy within the sentences that earlier components found. Tags are those of earlier
components; a model with a tagger predicts them where a sentence has none. Heads and labels become those of the tokens;
the label of a root is that of the treebank, ``root``. ``token._.dep_confidence`` is the probability of the arc,
``token._.label_confidence`` that of the arc with its label, ``token._.dep_support`` the share of the votes, each None
where it is not known. Whitespace tokens are not parsed: each depends, as ``dep``, on its neighbour.

The tokenizer ``treevote.Tokenizer.v1`` finds tokens and sentences as a model does that reads raw text.
"""

# pyright: reportMissingImports=false

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

import numpy as np

from treevote.batch.parsing import member_of, parse_sentences, require_tags, stored_parser
from treevote.conll.plain_text import plain
from treevote.corpus.treebank import Treebank
from treevote.ensemble.familiarity import doubt
from treevote.ensemble.parser import EnsembleParser
from treevote.ensemble.stored import StoredParser
from treevote.errors import ConfigError, TreevoteError, extra, warn
from treevote.files.exchange import put_in_place
from treevote.files.temporaries import temporary
from treevote.kernels import Bools, Longs
from treevote.models.text.text_annotator import without_tags
from treevote.spacy_texts import EXTENSIONS, UPOS, add_extensions, attach, read_docs, surface_words, with_whitespace
from treevote.store.manifest import require_manifest
from treevote.store.packages import model_folder

with extra("spacy", "the component needs spaCy"):
    import spacy
    from spacy.language import Language
    from spacy.tokens import Doc, Token
    from spacy.util import minibatch, raise_error
    from spacy.vocab import Vocab

_FOLDER = "model"


class _Part:
    """A part of a pipeline that holds a model folder, loaded at the first text; ConfigError if none is given."""

    def __init__(self, model: str, member: str | None = None) -> None:
        if not model:
            raise ConfigError('the component treevote needs a model; give config={"model": "path"}')
        self.model, self.member = model, member
        self._stored: StoredParser | None = None

    def parser(self) -> EnsembleParser:
        """Return the model."""
        if self._stored is None:
            self._stored = stored_parser(self.model, self.member)
        return self._stored()

    def to_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> None:
        """Copy the model into the folder of the pipeline, whole or not at all; ModelError if there is none to copy."""
        if _FOLDER not in exclude:
            source, target = (Path(os.path.realpath(each)) for each in (model_folder(self.model), Path(path, _FOLDER)))
            require_manifest(source)
            if source == target:
                return
            target.parent.mkdir(parents=True, exist_ok=True)
            with temporary(target, folder=True) as new:
                shutil.copytree(source, new, dirs_exist_ok=True)
                put_in_place(new, target)

    def from_disk(self, path: str | os.PathLike[str], *, exclude: Iterable[str] = ()) -> Self:
        """Take the model from the folder of the pipeline."""
        if _FOLDER not in exclude:
            self.model, self._stored = os.path.abspath(Path(path, _FOLDER)), None
        return self

    def to_bytes(self, *, exclude: Iterable[str] = ()) -> bytes:
        """Return the name of the model, not the model: who reads it needs the same folder, or the same package."""
        return b"" if _FOLDER in exclude else os.fsencode(self.model)

    def from_bytes(self, name: bytes, *, exclude: Iterable[str] = ()) -> Self:
        """Take the model of a name."""
        if name and _FOLDER not in exclude:
            self.model, self._stored = os.fsdecode(name), None
        return self


class TreevoteTokenizer(_Part):
    """The tokenizer: tokens and sentences of a model that was trained with ``--from-text``.

    The text of a `Doc` is the text that was given, as the model sees it: a byte-order mark and rare ends of lines are
    spaces, other control characters U+FFFD. If the model divides a token into words with other letters, such as French
    *du* into *de* and *le*, it is that of the words.
    """

    def __init__(self, model: str, vocab: Vocab) -> None:
        super().__init__(model)
        self.vocab = vocab

    def __call__(self, text: str) -> Doc:
        """Return the tokens of a text; raises InputError if the model has no tokenizer."""
        treebank = self.parser().annotator.read(text, tags="keep")
        words, spaces, starts = surface_words(treebank)
        seen = plain(text)
        if "".join("".join(words).split()) == "".join(seen.split()):
            words, spaces = with_whitespace(words, seen)
        first = iter(starts)
        return Doc(self.vocab, words, spaces, sent_starts=[not word.isspace() and next(first) for word in words])


class TreevoteParser(_Part):
    """The component; with a member it parses with this one alone, by default all vote."""

    def __init__(self, model: str, member: str | None = None, name: str = "treevote") -> None:
        super().__init__(model, member)
        self.name = name
        self.set_error_handler(raise_error)
        add_extensions()

    def set_error_handler(self, handler: Callable[[str, Any, list[Doc], Exception], object]) -> None:
        """Take the handler of texts that cannot be parsed; called with name, component, texts and error."""
        self._handle = handler

    def __call__(self, doc: Doc) -> Doc:
        """Parse a text."""
        self._parse([doc])
        return doc

    def pipe(self, stream: Iterable[Doc], *, batch_size: int = 256) -> Iterator[Doc]:
        """Parse many texts, several together; those that cannot be parsed go to the handler of errors instead."""
        for docs in minibatch(stream, size=batch_size):
            yield from self._parsed(docs)

    def _parsed(self, docs: list[Doc]) -> Iterator[Doc]:
        try:
            self._parse(docs)
        except TreevoteError as fault:
            if len(docs) == 1 or self._handle is raise_error:  # which tells the number of the text
                self._handle(self.name, self, docs, fault)
                return
            for doc in docs:
                yield from self._parsed([doc])
        else:
            yield from docs

    def _parse(self, docs: Sequence[Doc]) -> None:
        parser = self.parser()
        given, tokens = read_docs(docs)
        if not tokens:
            return
        treebank = parser.annotator.tagged(given)
        remedy = "add a component that tags in front of treevote, or train the model with --from-tokens"
        require_tags(parser, treebank, remedy)
        if reason := doubt(parser, treebank):
            warn(reason)
        parse, _ = parse_sentences(member_of(parser, self.member), treebank)
        slots = np.flatnonzero(parse.is_token)
        _set_tags(tokens, treebank, slots, without_tags(given))
        heads = (parse.heads + parse.starts)[slots]  # slot of the head; that of ROOT is a sentence's first
        token_of = np.full(len(parse.tokens), -1)
        token_of[slots] = np.arange(len(slots))
        labels = [parse.labels[deprel] for deprel in parse.deprels[slots].tolist()]
        columns = [(name, parse.marks[field][slots]) for name, field in EXTENSIONS.items() if field in parse.marks]
        found: dict[int, dict[int, tuple[int, str]]] = {id(doc): {} for doc in docs}
        for k, (token, head) in enumerate(zip(tokens, token_of[heads].tolist(), strict=True)):
            found[id(token.doc)][token.i] = (token.i if head < 0 else tokens[head].i), labels[k]
            for name, column in columns:
                token._.set(name, float(column[k]))
        for doc in docs:
            if found[id(doc)]:
                attach(doc, found[id(doc)])


def _set_tags(tokens: Sequence[Token], treebank: Treebank, slots: Longs, predicted: Bools) -> None:
    """Give lemma, tags and features to the tokens of sentences with predicted tags, shape (n_sentences,)."""
    rows = zip(tokens, treebank.tokens[slots].tolist(), predicted[treebank.sentence_of[slots]].tolist(), strict=True)
    for token, number, is_predicted in rows:
        if is_predicted:
            lemma, upos, xpos, feats = ("" if field == "_" else field for field in treebank.words[number][1:])
            token.lemma_, token.pos_, token.tag_ = lemma, upos if upos in UPOS else "", xpos
            token.set_morph(feats)


@Language.factory(  # type: ignore[untyped-decorator]
    "treevote",
    assigns=["token.head", "token.dep", "doc.sents", *(f"token._.{name}" for name in EXTENSIONS)],
    default_config={"model": "", "member": None},
)
def make(nlp: Language, name: str, model: str, member: str | None) -> TreevoteParser:
    """Return the component of a pipeline; raises ConfigError if there is no model in the configuration."""
    return TreevoteParser(model, member, name)


@spacy.registry.tokenizers("treevote.Tokenizer.v1")  # type: ignore[untyped-decorator]
def make_tokenizer(model: str) -> Callable[[Language], TreevoteTokenizer]:
    """Return what makes the tokenizer of a pipeline, by its configuration."""
    return lambda nlp: TreevoteTokenizer(model, nlp.vocab)
