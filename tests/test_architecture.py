"""Imports and contents of modules: the order of the layers, one module for each large library, forbidden texts."""

from __future__ import annotations

import ast
import graphlib
import re
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path

import pytest

from tests.paths import ROOT

LINKS = ("models", "ensemble", "adaptation")

FAMILIES = {
    "models.parsers.transition",
    "models.parsers.pipeline",
    "models.parsers.biaffine",
    "models.parsers.graph",
    "models.parsers.decision_list",
}
"""Families of parsers."""

LAYERS = (
    {
        "compilation",
        "errors",
        "latex",
        "notebook",
        "relay",
        "version",
        "visibility",
    },
    {"files"},
    {"kernel_files", "kernels"},
    {"corpus"},
    {"conll"},
    {"config", "parallel", "settings"},
    {"store"},
    {"protocols", "terminal"},
    {"drawing", "evaluation"},
    {
        "models",
        "models.learning",
        "models.learning.clusters",
        "models.learning.features",
        "models.learning.learners",
        "models.learning.network",
        "models.learning.vectors",
        "models.parsers",
        "models.text",
    },
    {"models.text.tag_confidence", "models.text.tagging", "models.text.text_annotator", "models.text.tokenization"},
    {"models.parsers.decoding", "models.parsers.given_arcs", "models.parsers.labelling", "models.parsers.parser"},
    FAMILIES,
    {"ensemble"},
    {"adaptation", "annotation"},
    {"batch", "studies"},
    {"commands", "spacy_texts"},
    {"report"},
    {"serve"},
    {"api", "cli", "spacy_component"},
    {"__main__"},
)
"""A module imports from its own layer and those before it."""

DOORS = {
    "cassis": {"treevote.serve.inception"},
    "conllu": {"treevote.conll", "treevote.conll.tokenlists"},
    "distributed": {"treevote.parallel"},
    "jinja2": {"treevote.report"},
    "joblib": {"treevote.parallel"},
    "networkx": {"treevote.ensemble.arborescence"},
    "packaging": {"treevote.commands.package"},
    "llvmlite": {"treevote.kernels"},
    "numba": {"treevote.kernel_files", "treevote.kernels"},
    "pandas": {"treevote.corpus.frame", "treevote.corpus.treebank"},
    "rich": {"treevote.cli", "treevote.commands", "treevote.drawing", "treevote.terminal"},
    "platformdirs": {"treevote.kernel_files"},
    "python_multipart": {"treevote.serve.form"},
    "spacy": {"treevote.spacy_component", "treevote.spacy_texts"},
    "sklearn": {
        "treevote.models.text.tag_confidence",
        "treevote.models.learning.clusters.induction",
        "treevote.models.learning.learners",
    },
    "starlette": {"treevote.serve.app"},
    "threadpoolctl": {
        "treevote.ensemble.candidate_model",
        "treevote.models.learning.clusters.induction",
        "treevote.models.learning.vectors.cooccurrence",
    },
    "typer": {"treevote.cli", "treevote.commands"},
    "ufal": {"treevote.models.text.tokenization"},
    "uvicorn": {"treevote.serve.app"},
}
"""The only modules, or packages of modules, that import a library."""

EXTRAS = {
    "cassis": "inception",
    "distributed": "dask",
    "jinja2": "report",
    "pandas": "pandas",
    "python_multipart": "serve",
    "spacy": "spacy",
    "starlette": "serve",
    "ufal": "text",
    "uvicorn": "serve",
}
"""Libraries of single features, and their extras."""

NAMES_OF_IMPORTS = {
    "dkpro-cassis": "cassis",
    "python-multipart": "python_multipart",
    "scikit-learn": "sklearn",
    "ufal.udpipe": "ufal",
}
"""Packages that are imported by another name."""

BANNED = {"pickle", "marshal", "shelve", "dill", "cloudpickle", "logging"}


@cache
def modules() -> dict[str, Path]:
    """Return the files of all modules of the package by name, in the real folders and not through the links."""
    found = {}
    for folder, package in (("src/treevote", "treevote"), *((link, f"treevote.{link}") for link in LINKS)):
        for path in sorted((ROOT / folder).rglob("*.py")):
            steps = path.relative_to(ROOT / folder).with_suffix("").parts
            if folder == "src/treevote" and steps[0] in LINKS:
                continue
            name = ".".join([package, *(step for step in steps if step != "__init__")])
            found[name] = path
    return found


@cache
def tree_of(name: str) -> ast.Module:
    return ast.parse(modules()[name].read_text("utf-8"))


@cache
def imported(tree: ast.Module) -> list[str]:
    """Return the full names of what a module imports, wherever it does."""
    found: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found.extend(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0
            assert node.module is not None
            found.extend(f"{node.module}.{alias.name}" for alias in node.names)
    return found


@cache
def dependencies(name: str) -> set[str]:
    """Return the modules of treevote that a module imports; the package itself only for its version."""
    known, tree = modules(), tree_of(name)
    attributes = {n.attr for n in ast.walk(tree) if isinstance(n, ast.Attribute) and is_name(n.value, "treevote")}
    found = set()
    for full in imported(tree):
        if full == "treevote.__version__" or (full == "treevote" and attributes == {"__version__"}):
            continue
        while full not in known and "." in full:
            full = full.rpartition(".")[0]
        if full in known:
            found.add(full)
    return found


def test_no_private_part_of_scikit_learn_or_scipy_is_imported() -> None:
    private = {
        (name, full)
        for name in modules()
        for full in imported(tree_of(name))
        if full.startswith(("sklearn.", "scipy.")) and any(step.startswith("_") for step in full.split("."))
    }
    assert private == set()


def is_name(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


def room_of(name: str) -> str:
    """Return the folder or module of a module as ``LAYERS`` names it: within models that of its third step."""
    first, *steps = name.split(".")[1:]
    return ".".join([first, *steps[:2]]) if first == "models" else first


def layer_of(name: str) -> int:
    ranks = [rank for rank, layer in enumerate(LAYERS) if room_of(name) in layer]
    assert ranks, f"name {room_of(name)} in LAYERS, or in FAMILIES if it is a family of parsers"
    return ranks[0]


NAMES = sorted(name for name in modules() if name != "treevote")


def test_there_are_modules() -> None:
    assert len(NAMES) > 30
    assert "treevote.models.parsers.transition.parser" in NAMES


@pytest.mark.parametrize("name", NAMES)
def test_a_module_imports_only_from_its_layer_and_those_before(name: str) -> None:
    own = layer_of(name)
    assert {other for other in dependencies(name) if other == "treevote" or layer_of(other) > own} == set()


@pytest.mark.parametrize("name", [name for name in NAMES if room_of(name) in FAMILIES])
def test_a_family_of_parsers_knows_nothing_of_the_others(name: str) -> None:
    assert {room_of(other) for other in dependencies(name)} & FAMILIES <= {room_of(name)}


def test_no_modules_import_each_other_in_a_circle() -> None:
    order = list(graphlib.TopologicalSorter({name: dependencies(name) for name in NAMES}).static_order())
    assert order.index("treevote.errors") < order.index("treevote.cli")


def package_of(name: str) -> str:
    """Return the folder of a module as a dotted name; a module at the top is a package of its own."""
    is_package = modules()[name].name == "__init__.py"
    return name if is_package or name.count(".") == 1 else name.rpartition(".")[0]


def test_no_packages_import_each_other_in_a_circle() -> None:
    needed: dict[str, set[str]] = {}
    for name in NAMES:
        needed.setdefault(package_of(name), set()).update(map(package_of, dependencies(name)))
    order = list(graphlib.TopologicalSorter({own: others - {own} for own, others in needed.items()}).static_order())
    assert order.index("treevote.models.learning.learners.decision_list") < order.index(
        "treevote.models.parsers.decision_list"
    )


@pytest.mark.parametrize("library", DOORS)
def test_a_library_has_one_door(library: str) -> None:
    strangers = {
        name
        for name in NAMES
        if any(full.split(".")[0] == library for full in imported(tree_of(name)))
        and not any(name == door or name.startswith(f"{door}.") for door in DOORS[library])
    }
    assert strangers == set()


def test_the_command_line_uses_no_private_name_of_typer() -> None:
    trees = [tree_of(name) for name in NAMES if room_of(name) == "cli"]
    used = {full for tree in trees for full in imported(tree)} | {
        ast.unparse(node)
        for tree in trees
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and not is_name(node.value, "self")
    }
    assert {full for full in used if re.search(r"\._\w*(?<!__)(\.|$)", full)} == {"os._exit"}


ENVIRONMENT = ("treevote.__main__", "treevote.kernel_files", "treevote.cli.options")
"""What reads the environment: for the threads of linear algebra, kernels and numba, the day of a page."""


@pytest.mark.parametrize("name", ["treevote", *NAMES])
def test_what_is_written_nowhere(name: str) -> None:
    tree = tree_of(name)
    assert {full.split(".")[0] for full in imported(tree)} & BANNED == set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            assert not any(is_name(node.func, banned) for banned in ("eval", "exec", "compile", "hash", "__import__"))
        if isinstance(node, ast.Attribute):
            if name not in ENVIRONMENT:
                assert not (is_name(node.value, "os") and node.attr in ("environ", "getenv", "putenv"))
            if isinstance(node.value, ast.Attribute) and node.value.attr == "random":  # np.random
                assert node.attr in ("default_rng", "Generator", "PCG64", "SeedSequence")


def test_packages_are_the_folders_with_code() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    setuptools = project["tool"]["setuptools"]
    packages = {name for name, path in modules().items() if path.name == "__init__.py"}
    assert set(setuptools["packages"]) == packages
    assert setuptools["package-dir"] == {"treevote": "src/treevote"} | {f"treevote.{link}": link for link in LINKS}
    folders = {path.parent for path in modules().values()}
    assert all((folder / "__init__.py").is_file() for folder in folders)


@pytest.mark.parametrize("link", LINKS)
def test_the_links_lead_to_the_folders(link: str) -> None:
    path = ROOT / "src" / "treevote" / link
    assert path.is_symlink()
    assert not path.readlink().is_absolute()
    assert path.resolve() == (ROOT / link).resolve()
    assert path.is_dir()


def test_dependencies_are_the_libraries_imported() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    declared, optional = (
        {NAMES_OF_IMPORTS.get(name := line.split(">")[0], name) for line in lines if "[" not in line}
        for lines in (project["dependencies"], [line for extra in EXTRAS.values() for line in extras[extra]])
    )
    used = {full.split(".")[0] for name in NAMES for full in imported(tree_of(name))}
    outside = used - set(sys.stdlib_module_names) - {"treevote", "_typeshed", "llvmlite"}  # the last comes with numba
    assert outside | {"uvloop"} == declared | optional  # uvicorn takes uvloop where it is installed


@pytest.mark.parametrize("name", sorted(modules()))
def test_a_library_of_an_extra_is_imported_where_its_lack_is_told(name: str) -> None:
    told: set[ast.AST] = set()
    for node in ast.walk(tree_of(name)):
        if isinstance(node, ast.With | ast.If) and ast.unparse(node).startswith(("with extra(", "if TYPE_CHECKING:")):
            told.update(node.body)
    others = [node for node in ast.walk(tree_of(name)) if isinstance(node, ast.stmt) and node not in told]
    libraries = {full.split(".")[0] for full in imported(ast.Module([n for n in others if is_import(n)], []))}
    if name != "treevote.models.text.tokenization.child":  # its parent has loaded the library
        assert libraries & set(EXTRAS) == set()


def is_import(node: ast.AST) -> bool:
    return isinstance(node, ast.Import | ast.ImportFrom)


def test_importing_treevote_is_cheap() -> None:
    slow = "sklearn networkx jinja2 numba scipy joblib typer rich"
    code = f"import sys, treevote; print([name for name in {slow.split()} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_parsing_needs_no_library_of_training() -> None:
    slow = "sklearn networkx joblib scipy numba conllu"
    code = f"import sys, treevote.commands.parse; print([name for name in {slow!r}.split() if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_nothing_is_trained_when_tests_are_collected() -> None:
    for path in (ROOT / "tests").rglob("test_*.py"):
        for statement in ast.parse(path.read_text("utf-8")).body:
            decorators: list[ast.expr] = getattr(statement, "decorator_list", [])
            at_import = decorators if isinstance(statement, ast.FunctionDef | ast.ClassDef) else [statement]
            calls = [node for part in at_import for node in ast.walk(part) if isinstance(node, ast.Call)]
            names = {getattr(call.func, "attr", getattr(call.func, "id", "")) for call in calls}
            assert not names & {"fit", "record", "train", "trained"}, path
