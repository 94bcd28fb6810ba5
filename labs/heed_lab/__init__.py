"""The tool of heed's course (docs/teaching.md): Python's standard library only."""


class LabError(Exception):
    """What a user can mend: one line that names the file and the rule."""
