import re
from importlib import metadata
from pathlib import Path

import dcmrank as dr


def test_the_version_is_that_of_the_project() -> None:
    cmake = (Path(__file__).parents[2] / "CMakeLists.txt").read_text()
    found = re.search(r"project\(dcmrank VERSION ([0-9.]+)", cmake)
    assert found and dr.__version__ == found[1] == metadata.version("dcmrank")


def test_every_exported_name_is_there() -> None:
    for name in dr.__all__:
        assert hasattr(dr, name), name
