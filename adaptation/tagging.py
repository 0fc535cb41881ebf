"""The taggers' part of an adaptation: sentences on whose tags they agree join their training data.

Taggers are judges of tags as parsers are of trees. The taggers of a task differ in direction and loss; a sentence is
selected if each of them by itself chose the tags of their vote, on a large enough share of the tokens.
"""

from __future__ import annotations

import dataclasses
import functools
from pathlib import Path
from typing import Any

import numpy as np

from treevote.adaptation.annotation import annotate_chunk, concatenated, tasks
from treevote.adaptation.data import Data, annotator_trainer
from treevote.adaptation.labelled import labelled
from treevote.adaptation.measuring import held_out
from treevote.adaptation.scheme import InstanceSelection, Scheme
from treevote.adaptation.silver import TAGGERS, joined, profile, write_silver
from treevote.corpus.treebank import Treebank
from treevote.ensemble.annotator_trainer import evaluate_tagger, right_tags
from treevote.ensemble.parser import EnsembleParser, load, save
from treevote.ensemble.unknown_words import share_of_tokens
from treevote.kernels import Doubles
from treevote.models.text.tagging.tagger import Tagger
from treevote.models.text.text_annotator import without_tags
from treevote.parallel import Jobs
from treevote.store.checkpoints import Checkpoints
from treevote.store.manifest import JSON


def retagged(
    model: EnsembleParser, data: Data, steps: Checkpoints, scheme: Scheme, seed: int, jobs: Jobs
) -> tuple[EnsembleParser, Path | None, dict[str, JSON]]:
    """Train the tagger of a model on labelled sentences, with gold tags, and on sentences of the text that it tagged.

    Return the model with the new tagger and its old parsers, the file of the added sentences, and facts of the
    selection: by the share of the tokens on whose tags the taggers agree, among sentences without tags. It is the same
    model if there is nothing to learn from, and no file if no sentence is selected. No result depends on the jobs.
    """
    assert model.annotator.tagger is not None
    tagger, named = model.annotator.tagger, jobs.renamed(lambda name: f"taggers: {name}")
    selection = InstanceSelection(scheme.tag_agreement, max_length=scheme.selection.max_length)
    about: dict[str, JSON] = {}
    silver: Path | None = None
    if data.unlabelled:
        annotator = functools.partial(_tagged, tagger)
        chunks = (annotate_chunk(annotator, task) for task in tasks(data, steps.chunks("taggers")))
        annotation = concatenated(chunks, data, "tagging", named)
        lengths, agreed, confidence, _ = annotation
        kept = selection.of(lengths, agreed, confidence) & (confidence > 0) & ~held_out(np.arange(len(lengths)))
        about |= profile(annotation, kept)
        about |= {"text_sentences": len(lengths), "text_tokens": int(lengths.sum())}
        if data.target_dev is not None:
            about["on_target_dev"] = agreement_scores(tagger, data.target_dev, selection)
        if kept.any():
            write = functools.partial(write_silver, annotation, kept, np.ones(len(kept), np.int32), judges=TAGGERS)
            silver = steps.file("taggers.silver.conllu", write)
    if silver is None and data.target_train is None and data.clusters is None:
        return model, None, about

    def make() -> EnsembleParser:
        gold = labelled(data, scheme.target_share, scheme.source_copies)
        treebank = joined([dataclasses.replace(treebank, source=None) for treebank in gold], silver)
        tagger = annotator_trainer(model, data).tagger.train(treebank, seed=seed, jobs=named)
        reading: Any = model.facts.get("reading", {})
        facts = {name: value for name, value in reading.items() if name not in ("accuracy", "agreement", "reliability")}
        sure = None
        if data.source_dev is not None:
            _, sure, own = evaluate_tagger(tagger, data.source_dev)
            facts |= own
        new = dataclasses.replace(model.annotator, tagger=tagger, confidence=sure)
        return dataclasses.replace(model, annotator=new, facts={**model.facts, "reading": facts})

    return steps.model("taggers.model", make, load, save), silver, about


def agreement_scores(tagger: Tagger, gold: Treebank, selection: InstanceSelection) -> dict[str, JSON]:
    """Return the accuracy of a tagger on labelled sentences: all tokens, those agreed on, and selected sentences."""
    found, agreed, _ = tagger.tag_with_margins(gold)
    kept = selection.of(gold.lengths, share_of_tokens(agreed, gold), np.ones(gold.n_sentences))[gold.sentence_of]
    right = right_tags(gold, found)
    facts: dict[str, JSON] = {}
    for name, mask in {"all": gold.is_token, "agreed": agreed, "selected": kept & gold.is_token}.items():
        percent = {
            metric: round(100 * float(own[mask].mean()), 2) if mask.any() else None for metric, own in right.items()
        }
        facts[name] = {"tokens": int(mask.sum()), **percent}
    return facts


def _tagged(tagger: Tagger, treebank: Treebank) -> tuple[Treebank, Doubles, Doubles]:
    """Return sentences with tags, the agreement of the taggers, and a confidence of 1, or 0 for those that had tags."""
    found, agreed, _ = tagger.tag_with_margins(dataclasses.replace(treebank, source=None))
    return found, share_of_tokens(agreed, treebank), without_tags(treebank).astype(np.float64)
