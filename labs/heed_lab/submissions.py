"""What is taken of a submission, the files that are asked for and nothing else; what of them is shared with others; and questions about it."""
import hashlib
import random
import re
import unicodedata
import zipfile
import zlib
from collections import Counter
from itertools import chain, combinations
from pathlib import Path

from . import LabError, text_of

LARGEST = 1 << 20  # bytes of a file that a student hands in
MANY = 10000  # files in a zip
RUN = 15     # tokens: so many in a row that are the same are found
LEAST = 25   # runs of one's own in a file; who is right in fewer lines is alike by chance
COMMON = 6   # from so many submissions on, what more than half of them have counts for nobody
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.S)
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|[A-Za-z_]\w*|\d[\w.\']*|[^\w\s]')
LIBRARY = "the library"

KINDS = (  # (what a line looks like, what to ask)
    (r"^(for|while)\b", "How often does it run in the smallest case that a check draws? What is true after each turn?"),
    (r"^(\} )?(else )?if\b", "Name an input for which this holds and one for which it does not. What goes wrong without it?"),
    (r"[-+*]=", "What would = do here? Which check sees it, and with which numbers?"),
    (r"std::move|\breset\(|shared_ptr|nullptr", "Who owns what is named here, before this line and after it?"),
    (r"\bexp|\blog|sqrt|[^/]/[^/]", "Which inputs make this infinite, NaN or inexact, and what prevents it?"),
    (r"^return\b", "What is returned for the smallest input there is? Compute it by hand."),
    (r"[^=!<>]=[^=]", "What does it hold in a 2 x 2 case? Compute it by hand."),
    (r"\(", "What is called here, what does it need to be true, and what sees to it?"))


class Submission:
    """A folder or a zip."""

    def __init__(self, path):
        self.path = Path(path)
        # A student's name for files and tables: no formula, no folder.
        name = unicodedata.normalize("NFC", self.path.resolve().name)
        self.name = re.sub(r"[^\w.@-]", "_", re.sub(r"\.zip$", "", name, flags=re.I)).lstrip("=+-@._") or "student"

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


def in_a_row(tokens, count):
    return list(zip(*(tokens[i:] for i in range(count))))


def runs(text, known):
    """RUN tokens in a row. Names that are not in `known` count the same, as do numbers and texts: who renames changes nothing."""
    found = TOKEN.findall(COMMENT.sub(" ", text))
    return set(in_a_row([t if t in known or not re.match(r'[\w"]', t) else "n" if t[0].isdigit() else "v" for t in found], RUN))


def blanks(course, lab):
    """{file: text} as students get them."""
    return {name: text_of(course.root / name) for name in lab.own} | course.blanks(lab)


def submissions(folders):
    """(where it lies, submission) of each in each folder."""
    for folder in folders:
        if not folder.is_dir():
            raise LabError(f"{folder}: a folder of submissions is asked for, each a folder or a zip")
        for each in map(Submission, sorted(folder.iterdir())):
            if each.path.is_dir() or each.path.suffix.lower() == ".zip":
                yield printable(str(each.path)), each


def similar(course, lab, folders, least):
    """(share, one, other, file, how many are shared), the largest first: of the smaller one's runs of a file, shared ones."""
    blank, found = blanks(course, lab), []
    theirs = {LIBRARY: course.texts(lab)} | {name: each.texts(lab) for name, each in submissions(folders)}
    for file in lab.own:
        known = set(TOKEN.findall(COMMENT.sub(" ", blank[file])))
        own = {name: runs(texts[file], known) - runs(blank[file], known) for name, texts in theirs.items() if file in texts}
        counts = Counter(chain.from_iterable(own.values()) if len(own) > COMMON else ())
        common = {run for run, count in counts.items() if 2 * count > len(own)}
        for one, other in combinations(own, 2):
            mine, yours = own[one] - common, own[other] - common
            shared, smaller = len(mine & yours), min(len(mine), len(yours))
            if smaller >= LEAST and shared >= least * smaller:
                found.append((shared / smaller, one, other, file, shared))
    return sorted(found, reverse=True)


def questions(course, lab, path, count=3):
    """(file, line number, line, question) about lines of the student's own, of different kinds; the same each time for the same texts."""
    blank, texts, found = blanks(course, lab), Submission(path).texts(lab), []
    for name, text in texts.items():
        given = {line.strip() for line in blank[name].splitlines()}
        for number, line in enumerate(text.splitlines(), 1):
            code = COMMENT.sub("", line).strip()
            asks = next((question for looks, question in KINDS if re.search(looks, code)), None)
            if asks and line.strip() not in given and not code.startswith("#"):
                found.append((name, number, code, asks))
    random.Random(hashlib.sha256("".join(texts.values()).encode()).digest()).shuffle(found)
    first = list({row[3]: row for row in reversed(found)}.values())[::-1]  # of each kind
    return sorted((first + [row for row in found if row not in first])[:count])
