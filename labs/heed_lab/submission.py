"""What is taken of a submission: the files that are asked for, as text, and nothing else of it."""
import re
import zipfile
import zlib
from pathlib import Path

from . import LabError

LARGEST = 1 << 20  # bytes of a file that a student hands in
MANY = 10000  # files in a zip


class Submission:
    """A folder or a zip."""

    def __init__(self, path):
        self.path = Path(path)
        # A student's name for files and tables: no formula, no folder.
        self.name = re.sub(r"[^\w.@-]", "_", self.path.resolve().name.removesuffix(".zip")).lstrip("=+-@._") or "student"

    def files(self, names):
        """{file: bytes} of those that are there; one too long is cut behind LARGEST. Links are not followed."""
        def begin(file):
            with file:
                return file.read(LARGEST + 1)
        path = self.path
        if path.is_dir():
            here = [name for name in names if (path / name).is_file() and (path / name).resolve() == path.resolve() / name]
            return {name: begin(open(path / name, "rb")) for name in here}
        if not zipfile.is_zipfile(path):
            raise LabError(f"{path}: a submission is a folder or a zip")
        try:
            with zipfile.ZipFile(path) as archive:
                members = archive.namelist()
                if len(members) > MANY:
                    raise LabError(f"{path}: a zip of {len(members)} files; hand in the lab's files")
                fitting = {name: [m for m in members if m == name or m.endswith("/" + name)] for name in names}
                return {name: begin(archive.open(found[0])) for name, found in fitting.items() if len(found) == 1}
        except (zipfile.BadZipFile, zlib.error, RuntimeError, NotImplementedError, EOFError, OSError) as error:
            raise LabError(f"{path}: a zip that cannot be read: {error}") from None

    def texts(self, lab):
        """{file: text} of a lab; files that are not there are missing."""
        texts = {}
        for name, content in self.files(lab.own).items():
            if len(content) > LARGEST:
                raise LabError(f"{self.path}: {name} is larger than {LARGEST} bytes")
            try:
                texts[name] = content.decode()
            except UnicodeDecodeError:
                raise LabError(f"{self.path}: {name} is no text in UTF-8") from None
        return texts

    def tampered(self, root, lab):
        """Notes on files that judge (the checks, what they stand on, and the tool), which it has changed, or lacks while it has others of them."""
        paths = [path for folder in (lab.folder, root / "labs/support", root / "labs/heed_lab") for path in sorted(folder.iterdir())]
        judges = {str(path.relative_to(root)): path for path in paths if path.suffix in (".cc", ".h", ".py", ".json")}
        theirs = self.files(names := [name for name in judges if name not in lab.own])
        return [f"{name} {'was changed' if name in theirs else 'is gone'}" for name in names
                if theirs and theirs.get(name) != judges[name].read_bytes()]


def printable(text):
    """Without what a terminal, a page or XML would take for more than text."""
    return "".join(c if c.isprintable() or c == "\n" else "?" for c in text.replace("\t", "    "))
