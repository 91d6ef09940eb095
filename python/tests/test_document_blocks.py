"""Every ```python block of the project's documents runs: those of a document in order, in an empty folder."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import matplotlib
import matplotlib.pyplot as plt
import pytest

import dcmrank as dr
from cases import ROOT
from serving import Server

ADDRESS = "http://127.0.0.1:8080"  # as documents write it; here it is that of a service of the test's own


def blocks_of(document: Path) -> str:
    """The blocks with the lines between them left empty, so that errors name the document's lines."""
    lines, inside = [], False
    for line in document.read_text().splitlines():
        if line.startswith("```"):
            inside = line == "```python"
            lines.append("")
        else:
            lines.append(line if inside else "")
    return "\n".join(lines)


DOCUMENTS = [path for path in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))) if blocks_of(path).strip()]


def test_the_documents_have_blocks() -> None:
    assert [path.name for path in DOCUMENTS] == ["README.md", "python.md"]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_blocks_of_a_document_run(document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("agg")
    text = blocks_of(document)
    server = Server(tmp_path) if ADDRESS in text else None
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {"__name__": "document"}
    try:
        if server is not None:
            text = text.replace(ADDRESS, server.url)
        exec(compile(text, str(document), "exec"), names)
    finally:
        if server is not None:
            server.kill()
        plt.close("all")


def test_the_documentation_names_every_public_name() -> None:
    text = "".join(path.read_text() for path in DOCUMENTS)
    returned = {"Bounds", "Estimate", "PolicyRuns", "NativePolicy", "Scores", "Log", "Counts", "Problem", "Page"}
    for name in set(dr.__all__) - returned - {"__version__"}:
        assert re.search(rf"\b{name}\b", text), name
