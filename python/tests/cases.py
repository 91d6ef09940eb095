"""Where the command is, and problems of every kind."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
COMMAND = Path(os.environ.get("DCMRANK_COMMAND", ROOT / "build" / "dcmrank"))

PROBLEMS: dict[str, dict[str, Any]] = {
    "dcm": {"attraction": [0.6, 0.5, 0.4, 0.1], "termination": [0.5, 0.1]},
    "pbm": {"model": "pbm", "attraction": [0.6, 0.5, 0.4, 0.1], "examination": [0.9, 0.4]},
    "cascade": {"model": "cascade", "attraction": [0.6, 0.5, 0.4, 0.1], "positions": 2},
    "dbn": {"model": "dbn", "attraction": [0.6, 0.5, 0.4, 0.1], "satisfaction": [0.2, 0.9, 0.3, 0.1],
            "continuation": 0.8, "positions": 2},
    "ubm": {"model": "ubm", "attraction": [0.6, 0.5, 0.4, 0.1], "examination": [[0.9], [0.7, 0.5]]},
    "ccm": {"model": "ccm", "attraction": [0.6, 0.5, 0.4, 0.1], "alpha": [0.8, 0.6, 0.4],
            "positions": 2},
}  # fmt: skip
