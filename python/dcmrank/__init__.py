"""Learning to rank from clicks: DCM bandits, click models, a client of the ranking service."""

from dcmrank._core import version as __version__

__all__ = ["__version__"]
