"""The labs as their lab.json describe them, the texts that students see of them, and the clone that they learn in: with a branch
for each lab, and the library's version kept as refs/heed-lab/N."""
import hashlib
import json
import re
import subprocess
import unicodedata
from pathlib import Path

from . import LabError, text_of
from .build import write_files
from .cutting import KINDS, OPTIONAL, apply, include_not_done, put

KINDS_OF_POINTS = ("works", "laws", "limits", "variation")
VARIATION_POINTS = 10
BLANKS = "labs/blanks.json"  # the cut files of a handout


def take(row, label, required, optional=()):
    """Insists on the keys of an object."""
    if not isinstance(row, dict) or not set(required) <= set(row) <= {*required, *optional}:
        raise LabError(f"{label}: expected an object with {', '.join(required or optional)}; got {sorted(row) if isinstance(row, dict) else row!r}")
    return row


def read_json(path, label, required, optional=(), default=None):
    """An object with these keys; `default`, if there is one, where there is no such file."""
    try:
        return default if default is not None and not path.exists() else take(json.loads(text_of(path)), label, required, optional)
    except (OSError, ValueError) as error:
        raise LabError(f"{label}: {error}") from None


class Check:
    def __init__(self, row, task, label):
        self.points = dict(take(row, label, ("name",), KINDS_OF_POINTS))
        self.name, self.task, self.arguments = self.points.pop("name"), task, ()
        self.worth = sum(self.points.values())
        if not self.worth:
            raise LabError(f"{label}: {self.name} has no points")


class Task:
    def __init__(self, row, label):
        take(row, label, ("name", "cuts", "checks"))
        self.name, self.cuts, label = row["name"], row["cuts"], f"{label}, {row['name']}"
        for cut in self.cuts:
            if cut.get("kind") not in KINDS:
                raise LabError(f"{label}: the kind of a cut is one of {', '.join(KINDS)}, got {cut.get('kind')!r}")
            take(cut, f"{label}, a cut of kind {cut['kind']}", {"kind", "file", *KINDS[cut["kind"]]}, OPTIONAL)
        self.checks = [Check(check, self, label) for check in row["checks"]]


class Variation:
    """A relative of a lab's function that exists nowhere: one of several families, with numbers that follow from a name."""

    def __init__(self, row, label):
        take(row, label, ("file", "families"))
        self.file, self.families = row["file"], {family["name"]: family for family in row["families"]}
        for family in row["families"]:
            take(family, label, ("name", "check", "numbers"))
            if any(low >= high for low, high in family["numbers"].values()):
                raise LabError(f"{label}: {family['name']}: a number needs its least and its greatest value")

    def numbers(self, family, salt, student):
        """{name: value}: whole numbers where both ends are, else in steps of 0.05."""
        name = unicodedata.normalize("NFC", student.strip().lower())  # files of macOS have their accents beside the letters
        digest = hashlib.sha256(f"{salt}\0{name}\0{family}".encode()).digest()
        found = {}
        for i, (name, (low, high)) in enumerate(self.families[family]["numbers"].items()):
            steps = 1 if isinstance(low, int) and isinstance(high, int) else 20
            part = int.from_bytes(digest[4 * i:4 * i + 4], "big") % (round((high - low) * steps) + 1)
            found[name] = low + part if steps == 1 else round(low + part / steps, 2)
        return found

    def task(self, family, salt, student, label):
        family = family or next(iter(self.families))
        if family not in self.families:
            raise LabError(f"{label}: the families are {', '.join(self.families)}, got {family}")
        check = {"name": self.families[family]["check"], "variation": VARIATION_POINTS}
        task = Task({"name": "variation", "cuts": [], "checks": [check]}, label)
        task.family, task.numbers = family, self.numbers(family, salt, student)
        task.said = ", ".join(f"{name} = {value}" for name, value in task.numbers.items())
        task.checks[0].arguments = (f"--numbers={','.join(map(str, task.numbers.values()))}",)
        return task


class Lab:
    """One folder of labs/. Its `needs` are the labs whose functions are called by its checks, or by what they call."""

    tells_hints = False  # to the teacher, which hints a student took

    def __init__(self, folder):
        label = f"labs/{folder.name}/lab.json"
        row = read_json(folder / "lab.json", label, ("number", "title", "hours", "units", "tasks", "by_hand"),
                        ("banned", "needs", "variation", "leaderboard"))
        vars(self).update({"banned": [], "needs": [], "leaderboard": None}, **row)
        self.folder, self.tasks = folder, [Task(task, label) for task in self.tasks]
        self.variation = Variation(row["variation"], label) if "variation" in row else None
        self.checks = [check for task in self.tasks for check in task.checks]
        self.cuts = [cut for task in self.tasks for cut in task.cuts]
        self.files = list(dict.fromkeys(cut["file"] for cut in self.cuts))  # of the library, that are cut
        self.twins = [cut for cut in self.cuts if cut.get("twin")]
        # Those that students write in: in the others comments are hidden, or twins taken out.
        self.written = list(dict.fromkeys(cut["file"] for cut in self.cuts if cut["kind"] != "hide" and not cut.get("twin")))
        self.own = self.written + ([self.variation.file] if self.variation else [])  # what a student hands in
        self.said_by_hand = ", ".join(f"{name} {points}" for name, points in self.by_hand.items())
        self.target, self.branch = f"lab_{self.number:02}", f"lab-{self.number}"
        self.assign()
        if folder.name[:3] != f"{self.number:02}-":
            raise LabError(f"{label}: the folder of lab {self.number} begins with {self.number:02}-")

    def assign(self, student="", salt="", families=()):
        """Says whose variation is judged; nobody's has numbers, too."""
        family = dict(families).get(str(self.number))
        self.assigned = [self.variation.task(family, salt, student, f"lab {self.number}, variation")] if self.variation else []
        self.judged = [check for task in self.tasks + self.assigned for check in task.checks]

    def one_of(self, what, rows, name):
        for row in rows:
            if row.name == name:
                return row
        raise LabError(f"lab {self.number} has no {what} {name}; it has {', '.join(row.name for row in rows)}")

    def check(self, name):
        return self.one_of("check", self.judged, name)

    def task(self, name):
        return self.one_of("task", self.tasks + self.assigned, name)

    def cut(self, texts):
        """{file: text} with the cuts made."""
        changed = dict(texts)
        for task in self.tasks:
            for cut in task.cuts:
                name, place = cut["file"], f"lab {self.number}, {task.name}"
                twin = " (its twin: comes back with the solution)" * cut.get("twin", False)
                changed[name] = apply(changed[name], cut, place + twin, f"lab {self.number}, task {task.name}, {name}")
        return {name: include_not_done(text) if "heed::lab::" in text else text for name, text in changed.items()}

    def hints(self):
        """{check: [hint, ...]} of hints.md, and {"after": [line, ...]} for what to show after success."""
        text = (self.folder / "hints.md").read_text(encoding="utf-8")
        found = dict(re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", text, re.M | re.S))
        return {name: [line for line in said.splitlines() if line.strip()] if name == "after" else
                [" ".join(hint.split()) for hint in re.split(r"^\d\. ", said, flags=re.M)[1:]] for name, said in found.items()}


class Course:
    """All labs of a tree, with the variations of a student; labs/class.json holds what a teacher chose."""

    def __init__(self, root, student=""):
        self.root = Path(root)
        self.labs = {lab.number: lab for lab in map(Lab, sorted(path.parent for path in self.root.glob("labs/[0-9][0-9]-*/lab.json")))}
        row = read_json(self.root / "labs/class.json", "labs/class.json", (), ("salt", "families", "hints"), {})
        families = row.get("families", {})
        known = {str(lab.number) for lab in self.labs.values() if lab.variation}
        if not isinstance(families, dict) or not set(families) <= known:
            raise LabError(f"labs/class.json: families is an object of labs with a variation, {', '.join(sorted(known, key=int))}; got {families!r}")
        for lab in self.labs.values():
            lab.tells_hints = bool(row.get("hints"))
            lab.assign(student, row.get("salt", ""), families)

    def lab(self, number):
        if number not in self.labs:
            raise LabError(f"there is no lab {number}; there are {', '.join(map(str, self.labs))}")
        return self.labs[number]

    @property
    def handout(self):
        """Of a handout the numbers of its labs, and the hash of its blanks; nothing of a clone."""
        return read_json(self.root / "labs/handout.json", "labs/handout.json", ("labs", "blanks"), default={})

    def texts(self, lab):
        return {name: text_of(self.root / name) for name in lab.files}

    def blanks(self, lab, library=None):
        """{file: text} of what a lab cuts, as students get it: of library(lab), or of what is in this tree; a handout has it as it was made."""
        handout, path = self.handout, self.root / BLANKS
        if not handout:
            return lab.cut((library or self.texts)(lab))
        if lab.number not in handout["labs"]:
            raise LabError(f"lab {lab.number} is not cut in this handout; labs {', '.join(map(str, handout['labs']))} are")
        if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != handout["blanks"]:
            raise LabError(f"{BLANKS} is not as it was handed out; copy it from there anew")
        return {name: text for name, text in json.loads(path.read_text(encoding="utf-8")).items() if name in lab.files}

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise LabError(f"git {arguments[0]}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def refuse_changes(self, lab):
        self.git("var", "GIT_COMMITTER_IDENT")  # without a name git will not commit
        if changed := self.git("status", "--porcelain", "--", *lab.files).splitlines():
            raise LabError(f"{changed[0][3:]} has changes that are not committed; commit or stash them first")
        if self.git("branch", "--list", lab.branch).strip():
            raise LabError(f"the branch {lab.branch} is there already: git switch {lab.branch}; or begin anew after git branch -D {lab.branch}")

    def start(self, lab):
        """Makes the branch and commits the cut files on it."""
        blanks = self.blanks(lab)
        self.git("switch", "-c", lab.branch)
        self.git("update-ref", f"refs/heed-lab/{lab.number}", "HEAD")
        write_files(self.root, blanks)
        self.git("commit", "-q", "-m", f"Lab {lab.number}: blanks", "--", *blanks)

    def reference(self, lab):
        """{file: text} before the cuts."""
        if self.handout:
            raise LabError("a handout does not hold the library's version: your teacher publishes it after the deadline, "
                           "and labs/heed-lab catch-up FILE puts it in")
        try:
            return {name: self.git("show", f"refs/heed-lab/{lab.number}:{name}") for name in lab.files}
        except LabError:
            raise LabError(f"lab {lab.number} was not begun in this clone: labs/heed-lab start {lab.number}") from None

    def put_back(self, cuts, texts):
        """Writes the functions and structs around cuts as they are in {file: text} into the tree."""
        mine = {name: text_of(self.root / name) for name in {cut["file"] for cut in cuts}}
        for cut in cuts:
            name = cut["file"]
            mine[name] = put(mine[name], cut, texts[name], name)
        write_files(self.root, mine)
