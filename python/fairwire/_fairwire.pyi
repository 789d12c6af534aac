def version() -> str:
    """The version of fairwire, such as "0.1.0"."""
