"""Runs the notebooks of examples/notebooks, each in an empty folder, and writes what they show into them.

usage: python python/tests/notebooks.py [NOTEBOOK [OUTPUT]]     all of them in place, or one to another file
"""

from __future__ import annotations

import importlib
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "notebooks"
SECONDS = 300


def run(source: Path, out: Path) -> None:
    import nbclient

    nbformat: Any = importlib.import_module("nbformat")  # it has types for some of itself
    notebook = nbformat.read(source, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        client = nbclient.NotebookClient(
            notebook, timeout=SECONDS, kernel_name="python3", resources=resources
        )
        client.coalesce_streams = True  # however they came in time
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times, which always differ
    notebook.metadata["language_info"] = {"name": "python"}
    nbformat.write(notebook, out)


def printed(cell: Any) -> str:
    """What a cell printed. Pictures and tables depend on the versions of libraries that draw them."""
    streams = [out["text"] for out in cell.get("outputs", []) if out["output_type"] == "stream"]
    return "".join("".join(text) for text in streams)  # a file has lists of lines


if __name__ == "__main__":
    if len(sys.argv) > 2:
        run(Path(sys.argv[1]), Path(sys.argv[2]))
    else:
        for path in map(Path, sys.argv[1:]) if sys.argv[1:] else sorted(FOLDER.glob("*.ipynb")):
            run(path, path)
            print(path.name)
