"""The tagging job of the study of tags."""

from __future__ import annotations

from tests.reference.toy_grammar import toy_treebank
from treevote.corpus.treebank import Treebank
from treevote.models.text.tagging.tagger import TaggerTrainer
from treevote.studies.jobs import COLUMNS, Tagging

TRAINING, TEST = toy_treebank(60, 1), toy_treebank(30, 2)


def tags_of(treebank: Treebank) -> list[tuple[str, ...]]:
    """Return form and tags of all tokens."""
    return [
        (word.form, *(getattr(word, column) for column in COLUMNS))
        for sentence in treebank.sentences()
        for word in sentence.words[1:]
    ]


def test_retagging_with_the_gold_tags_changes_nothing() -> None:
    tags = [[getattr(word, column) for column in COLUMNS] for word in TEST.words]
    result = {"tags": tags, "of_tokens": TEST.tokens[TEST.is_token].tolist()}
    assert tags_of(Tagging("tagging", TaggerTrainer(), TRAINING, TEST).decode(result)) == tags_of(TEST)


def test_a_job_gives_the_tags_of_the_tagger_and_keeps_lemmas_and_trees() -> None:
    job = Tagging("tagging", TaggerTrainer(), TRAINING, TEST)
    tagged = job.decode(job.compute(None))
    assert tags_of(tagged) == tags_of(TaggerTrainer().train(TRAINING).tag(TEST))
    assert [word.lemma for s in tagged.sentences() for word in s.words] == [
        word.lemma for s in TEST.sentences() for word in s.words
    ]
    assert tagged.heads.tolist() == TEST.heads.tolist()
