"""Honest measuring of file sync and file transfer: the Python side of fairwire."""

from fairwire._fairwire import version

__version__: str = version()

__all__ = ["version"]
