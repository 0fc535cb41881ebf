"""INCEpTION's external recommender: relations with scores and explanations, around those that are there."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from cassis import Cas, TypeSystem, load_cas_from_xmi, load_typesystem
from starlette.testclient import TestClient

import treevote
from treevote.corpus.given import Given
from treevote.corpus.treebank import Treebank
from treevote.serve.app import Server
from treevote.serve.catalogue import Catalogue
from treevote.serve.inception import POS, SENTENCE, TOKEN, RelationWork
from treevote.serve.limits import Limits
from treevote.serve.queue import Task
from treevote.serve.texts import ParsedText
from treevote.serve.worker import Worker

LAYER = "de.tudarmstadt.ukp.dkpro.core.api.syntax.type.dependency.Dependency"
LABEL = "DependencyType"
TEXT = "The dog saw the cats. Dogs found fish"
WORDS = ((("The", "DET"), ("dog", "NOUN"), ("saw", "VERB"), ("the", "DET"), ("cats", "NOUN"), (".", "PUNCT")),
         (("Dogs", "NOUN"), ("found", "VERB"), ("fish", "NOUN")))  # fmt: skip


def document(tagged: bool = True, given: tuple[tuple[int, int, str], ...] = ()) -> Cas:
    """Return a document with tokens, tags, and relations (dependent, governor, label) between tokens, from 0."""
    types = TypeSystem()
    for name in (SENTENCE, TOKEN):
        types.create_type(name)
    pos, relation = types.create_type(POS), types.create_type(LAYER)
    for name in ("PosValue", "coarseValue"):
        types.create_feature(pos, name, "uima.cas.String")
    for name in ("Governor", "Dependent"):
        types.create_feature(relation, name, TOKEN)
    for name, kind in ((LABEL, "String"), (f"{LABEL}_score", "Double"), (f"{LABEL}_score_explanation", "String")):
        types.create_feature(relation, name, f"uima.cas.{kind}")
    types.create_feature(relation, "inception_internal_predicted", "uima.cas.Boolean")
    cas = Cas(types)
    cas.sofa_string = TEXT
    at, tokens = 0, []
    for sentence in WORDS:
        start = TEXT.index(sentence[0][0], at)
        for form, tag in sentence:
            begin = TEXT.index(form, at)
            at = begin + len(form)
            tokens.append(types.get_type(TOKEN)(begin=begin, end=at))
            if tagged:
                cas.add(pos(begin=begin, end=at, PosValue=tag, coarseValue=tag))
        cas.add(types.get_type(SENTENCE)(begin=start, end=at))
    cas.add_all(tokens)
    for dependent, governor, label in given:
        one = tokens[dependent]
        cas.add(relation(begin=one.begin, end=one.end, Governor=tokens[governor], Dependent=one, **{LABEL: label}))
    return cas


def request(cas: Cas, **changes: Any) -> dict[str, Any]:
    metadata = {"layer": LAYER, "feature": LABEL, "projectId": 1, "anchoringMode": "tokens", "crossSentence": False}
    inside = {"xmi": cas.to_xmi(), "documentId": 7, "userId": "ada"}
    return {"metadata": metadata, "document": inside, "typeSystem": cas.typesystem.to_xml()} | changes


def predicted(client: TestClient, name: str, cas: Cas) -> list[Any]:
    """Return the suggested relations, by dependent."""
    asked = request(cas)
    response = client.post(f"/{name}/predict", json=asked)
    assert response.status_code == 200, response.text
    found = load_cas_from_xmi(response.json()["document"], load_typesystem(asked["typeSystem"]))
    assert found.sofa_string == TEXT
    relations = [one for one in found.select(LAYER) if one["inception_internal_predicted"]]
    return sorted(relations, key=lambda one: one.begin)


def heads(relations: list[Any]) -> list[tuple[str, str, str]]:
    return [
        (one.Dependent.get_covered_text(), one.Governor.get_covered_text(), one[LABEL]) for one in relations
    ]  # fmt: skip


def test_every_token_gets_a_relation_with_a_score_and_the_votes(client: TestClient, text_model: Path) -> None:
    for tagged in (True, False):
        relations = predicted(client, "toy", document(tagged))
        parser = treevote.load(text_model)
        rows = [[(form, tag) if tagged else form for form, tag in sentence] for sentence in WORDS]
        trees = list(treevote.parse(parser, rows))
        arcs = [
            (tree.words[i].form, tree.words[int(tree.heads[i]) or i].form, tree.deprels[i])
            for tree in trees
            for i in range(1, len(tree.words))
        ]
        assert heads(relations) == arcs
        assert all(0 < one[f"{LABEL}_score"] <= 1 for one in relations)
        assert all(" of 2 members: " in one[f"{LABEL}_score_explanation"] for one in relations)
        assert all((one.begin, one.end) == (one.Dependent.begin, one.Dependent.end) for one in relations)


def test_without_confidence_the_score_is_the_share_of_votes_for_arc_and_label(catalogue: Catalogue) -> None:
    own, asked = catalogue.find("plain-one").stored(), request(document())

    def members(treebank: Treebank, given: Given | None) -> dict[str, Treebank]:
        one = own.parse(treebank)
        return {"one": one, "two": one.with_trees(one.heads, one.deprels, tuple(f"{label}x" for label in one.labels))}

    two: Any = SimpleNamespace(
        annotator=own.annotator,
        single_root=True,
        parse_members=members,
        combine=lambda parses, given: treevote.vote([*parses.values()], single_root=True),
    )
    work = RelationWork(lambda: two)  # type: ignore[arg-type]
    (answer,) = work([Task(work, json.dumps(asked).encode())], lambda function, *arguments: function(*arguments))
    assert isinstance(answer, ParsedText)
    found = load_cas_from_xmi(json.loads(answer.json)["document"], load_typesystem(asked["typeSystem"])).select(LAYER)
    told = {(one[f"{LABEL}_score"], one[f"{LABEL}_score_explanation"]) for one in found}
    assert told == {(0.5, "1 of 2 members: one")}


def test_its_sentences_and_tokens_are_counted(catalogue: Catalogue) -> None:
    own = TestClient(Server(catalogue, Limits()).application())
    assert predicted(own, "toy", document())
    counted = own.get("/metrics").text.splitlines()
    assert {"treevote_sentences_total 2", "treevote_tokens_total 9"} <= {*counted}


def test_relations_that_are_there_are_kept(client: TestClient) -> None:
    given = ((1, 0, "strange"), (2, 2, "root"))
    relations = predicted(client, "plain-one", document(given=given))
    assert {one.Dependent.get_covered_text() for one in relations} == {
        form for sentence in WORDS for form, _ in sentence
    } - {"dog", "saw"}
    assert [label for _, _, label in heads(relations)].count("root") == 1


@pytest.mark.parametrize("given", [((0, 0, "root"), (1, 1, "root")), ((0, 1, "det"), (1, 0, "dep"))])
def test_relations_that_no_tree_has_together_are_no_fault(
    given: tuple[tuple[int, int, str], ...], client: TestClient
) -> None:
    kept = ((6, 7, "strange"),)  # in the other sentence
    relations = predicted(client, "plain-one", document(given=given + kept))
    free = heads(predicted(client, "plain-one", document()))
    own = [one for one in heads(relations) if one[0] not in ("The", "dog")]
    assert own[:4] == free[2:6]
    assert own[4:] == heads(predicted(client, "plain-one", document(given=kept)))[6:]


def test_training_changes_nothing(client: TestClient) -> None:
    cas = document()
    asked = request(cas) | {"documents": [{"xmi": cas.to_xmi(), "documentId": 7, "userId": "ada"}]}
    response = client.post("/toy/train", json=asked)
    assert (response.status_code, response.content) == (204, b"")
    assert client.post("/klingon/train", json=asked).status_code == 400
    assert client.post("/klingon/predict", json=asked).status_code == 400


@pytest.mark.parametrize(
    "change",
    [
        {"document": {}},
        {"document": {"xmi": "<"}},
        {"typeSystem": 3},
        {"document": {"xmi": re.sub(' sofaString="[^"]*"', "", document().to_xmi())}},
        {"typeSystem": TypeSystem().to_xml()},
        {"typeSystem": document().typesystem.to_xml().replace("Dependent", "Child")},
        {"typeSystem": document().typesystem.to_xml().replace(TOKEN + "</range", "uima.cas.String</range")},
        {"metadata": {"layer": LAYER, "feature": "colour"}},
        {"metadata": {"layer": SENTENCE, "feature": LABEL}},
        {"metadata": {"layer": "unknown", "feature": LABEL}},
        {"metadata": {"layer": LAYER, "feature": f"{LABEL}_score"}},
    ],
)
def test_a_wrong_request_is_told(change: dict[str, Any], client: TestClient) -> None:
    response = client.post("/toy/predict", json=request(document(), **change))
    assert response.status_code == 400
    assert response.text.startswith(("Cannot read the document: ", "Expected a layer of relations"))


@pytest.mark.parametrize(
    "front", ['<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]>', '<?xml version="1.0" encoding="UTF-7"?>']
)
def test_no_entity_of_a_document_is_looked_at(front: str, client: TestClient) -> None:
    asked = request(document())
    asked["document"]["xmi"] = front + asked["document"]["xmi"].partition("?>")[2].replace("The dog", "&e;", 1)
    response = client.post("/toy/predict", content=json.dumps(asked))
    assert response.status_code == 400
    assert "root:" not in response.text


def test_a_document_of_many_beginnings_is_refused_at_once(client: TestClient) -> None:
    asked = request(document())
    asked["document"]["xmi"] = "<?xml" * 100_000
    assert client.post("/toy/predict", content=json.dumps(asked)).status_code == 400


def test_a_missing_library_is_told(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Worker, "run", lambda worker, function, *arguments: function(*arguments))  # here, not there
    monkeypatch.setitem(sys.modules, "cassis", None)
    response = client.post("/toy/predict", json={})
    assert response.status_code == 501
    assert "pip install 'treevote[inception]'" in response.text
