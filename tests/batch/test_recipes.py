"""The recipes for engines, as they stand in the documentation, give the bytes of ``treevote parse``."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import blocks
from tests.paths import ROOT
from treevote.commands.parse import parse_files

PAGE = ROOT / "docs" / "recipes" / "engines.md"

SHOWN = {
    "pyspark": "rows = spark.read.parquet('parsed').toPandas().to_dict('records')",
    "ray": "rows = ray.data.read_parquet('parsed').take_all()",
    "dask": "rows = [{'text': text, 'error': ''} for text in parsed]",
    "datasets": "rows = list(parsed)",
}
"""How the result of each recipe is looked at."""

ENDS = {"pyspark": "spark.stop()", "ray": "ray.shutdown()", "dask": "", "datasets": ""}

STARTS = {
    "pyspark": "from pyspark.sql import SparkSession\n"
    "SparkSession.builder.master('local[2]').config('spark.ui.enabled', 'false')"
    ".config('spark.driver.bindAddress', '127.0.0.1').config('spark.driver.host', '127.0.0.1').getOrCreate()\n",
    "ray": "import ray\nray.init(num_cpus=4, include_dashboard=False, log_to_driver=False)\n",
    "dask": "from dask.distributed import Client, LocalCluster\n"
    "local = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None, host='127.0.0.1')\n"
    "client = Client(local)\n",
    "datasets": "",
}
"""Local clusters of two workers."""


def recipe(package: str) -> str:
    return next(text for language, text in blocks(PAGE) if f"import {package}" in text or f"from {package}" in text)


@pytest.mark.parametrize("package", SHOWN)
def test_a_recipe_is_short(package: str) -> None:
    assert len(recipe(package).splitlines()) <= 15


@pytest.mark.slow
@pytest.mark.parametrize("package", SHOWN)
def test_a_recipe_gives_the_bytes_of_the_command(package: str, model: Path, corpus: Path, tmp_path: Path) -> None:
    needed = {"dask": ("dask", "distributed"), "pyspark": ("pyspark", "pandas", "pyarrow")}.get(package, (package,))
    for name in needed:
        if importlib.util.find_spec(name) is None:
            pytest.skip(f"{name} is not installed")
    if package == "pyspark" and shutil.which("java") is None:
        pytest.skip("Spark needs Java, which is not installed")
    folder = tmp_path / "room" / "corpus"
    folder.mkdir(parents=True)
    (tmp_path / "room" / "model").symlink_to(model)
    expected = []
    paths = sorted(corpus.rglob("*.conllu"))
    crlf = tmp_path / "crlf.conllu"
    crlf.write_bytes(paths[0].read_bytes().replace(b"\n", b"\r\n"))
    for i, path in enumerate([*paths, crlf]):
        shutil.copy(path, folder / f"{i}.conllu")
        parse_files(model, [path], tmp_path / "parsed.conllu")
        expected.append((tmp_path / "parsed.conllu").read_bytes().decode())
    (folder / "bad.conllu").write_text("1\tone\n\n")
    expected.append("")
    body = f"{recipe(package)}\n{SHOWN[package]}\nimport json\n"
    body += (
        "open('result.json', 'w').write(json.dumps([[row['text'], row['error']] for row in rows]))\n" + ENDS[package]
    )
    script = "if __name__ == '__main__':\n" + "".join(
        f"    {line}\n" if line else "\n" for line in (STARTS[package] + body).splitlines()
    )
    (tmp_path / "room" / "script.py").write_text(script)
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]),
        "PYSPARK_PYTHON": sys.executable,
        "HF_HOME": str(tmp_path / "cache"),
        "HF_HUB_OFFLINE": "1",
        "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    }
    done = subprocess.run(
        [sys.executable, "script.py"],
        cwd=tmp_path / "room",
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    rows = json.loads((tmp_path / "room" / "result.json").read_text())
    assert sorted(text for text, _ in rows) == sorted(expected)
    if package != "dask":
        assert [bool(error) for text, error in rows if not text] == [True]
