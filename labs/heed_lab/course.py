"""The labs as their lab.json describe them, and the texts that students see of them."""
import hashlib
import json
import re
from pathlib import Path

from . import LabError
from .cutting import apply, check_cut, include_not_done

KINDS_OF_POINTS = ("works", "laws", "limits", "variation")
VARIATION_POINTS = 10
BLANKS = "labs/blanks.json"  # the cut files of a handout


def take(row, label, required, optional=()):
    """Insists on the keys of an object."""
    if not isinstance(row, dict) or not set(required) <= set(row) <= set(required) | set(optional):
        raise LabError(f"{label}: expected an object with {', '.join(required or optional)}; got {sorted(row) if isinstance(row, dict) else row!r}")
    return row


def read_json(path, label):
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise LabError(f"{label}: {error}") from None


class Check:
    def __init__(self, row, task, label):
        take(row, label, ("name",), KINDS_OF_POINTS)
        self.name, self.task, self.arguments = row["name"], task, ()
        self.points = {kind: row[kind] for kind in KINDS_OF_POINTS if kind in row}
        if not self.points or not all(isinstance(p, int) and p > 0 for p in self.points.values()):
            raise LabError(f"{label}: {self.name} has no points")


class Task:
    def __init__(self, row, label):
        take(row, label, ("name", "cuts", "checks"))
        self.name, self.cuts = row["name"], row["cuts"]
        for cut in self.cuts:
            check_cut(cut, f"{label}, {self.name}")
        self.checks = [Check(check, self, f"{label}, {self.name}") for check in row["checks"]]


class Variation:
    """A relative of a lab's function that exists nowhere: one of several families, with numbers that follow from a name."""

    def __init__(self, row, label):
        take(row, label, ("file", "families"))
        self.file, self.families = row["file"], {}
        for family in row["families"]:
            take(family, label, ("name", "check", "numbers"))
            for low, high in family["numbers"].values():
                if low >= high:
                    raise LabError(f"{label}: {family['name']}: a number needs its least and its greatest value")
            self.families[family["name"]] = family

    def numbers(self, family, salt, student):
        """{name: value}: whole numbers where both ends are, else in steps of 0.05."""
        digest = hashlib.sha256(f"{salt}\0{student.strip().lower()}\0{family}".encode()).digest()
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
        task = Task({"name": "variation", "cuts": [], "checks": [
            {"name": self.families[family]["check"], "variation": VARIATION_POINTS}]}, label)
        task.family, task.numbers = family, self.numbers(family, salt, student)
        task.checks[0].arguments = (f"--numbers={','.join(map(str, task.numbers.values()))}",)
        return task


class Lab:
    """One folder of labs/."""

    def __init__(self, folder):
        self.folder = folder
        label = f"labs/{folder.name}/lab.json"
        row = read_json(folder / "lab.json", label)
        take(row, label, ("number", "title", "hours", "units", "tasks", "by_hand"), ("banned", "needs", "variation", "leaderboard"))
        self.number, self.title, self.hours, self.units = row["number"], row["title"], row["hours"], row["units"]
        self.tasks = [Task(task, label) for task in row["tasks"]]
        self.by_hand, self.banned = row["by_hand"], row.get("banned", [])
        self.leaderboard = take(row["leaderboard"], label, ("name", "line")) if "leaderboard" in row else None
        self.needs = row.get("needs", [])  # the labs whose functions are called by its checks, or by what they call
        self.checks = [check for task in self.tasks for check in task.checks]
        self.variation = Variation(row["variation"], label) if "variation" in row else None
        self.assign()
        self.target = f"lab_{self.number:02}"
        if folder.name[:3] != f"{self.number:02}-":
            raise LabError(f"{label}: the folder of lab {self.number} begins with {self.number:02}-")

    tells_hints = False  # to the teacher, which hints a student took

    def assign(self, student="", salt="", families=()):
        """Says whose variation is judged; nobody's has numbers, too."""
        family = dict(families).get(str(self.number))
        label = f"lab {self.number}, variation"
        self.assigned = [self.variation.task(family, salt, student, label)] if self.variation else []
        self.judged = [check for task in self.tasks + self.assigned for check in task.checks]

    @property
    def own(self):
        """What a student hands in."""
        return self.written + ([self.variation.file] if self.variation else [])

    @property
    def files(self):
        """The library's files that are cut."""
        return list(dict.fromkeys(cut["file"] for task in self.tasks for cut in task.cuts))

    @property
    def written(self):
        """Those that students write in: in the others comments are hidden, or twins taken out."""
        return list(dict.fromkeys(cut["file"] for task in self.tasks for cut in task.cuts
                                  if cut["kind"] != "hide" and not cut.get("twin")))

    @property
    def twins(self):
        return [cut for task in self.tasks for cut in task.cuts if cut.get("twin")]

    def check(self, name):
        for check in self.judged:
            if check.name == name:
                return check
        raise LabError(f"lab {self.number} has no check {name}; it has {', '.join(c.name for c in self.judged)}")

    def task(self, name):
        for task in self.tasks + self.assigned:
            if task.name == name:
                return task
        raise LabError(f"lab {self.number} has no task {name}; it has {', '.join(t.name for t in self.tasks)}")

    def points(self):
        return sum(sum(check.points.values()) for check in self.judged) + sum(self.by_hand.values())

    def cut(self, texts, only=None):
        """Makes the cuts (of one task) in {file: text}; returns the texts that changed."""
        changed = dict(texts)
        for task in self.tasks if only is None else [only]:
            for cut in task.cuts:
                name = cut["file"]
                place = f"lab {self.number}, {task.name}" + (" (its twin: comes back with the solution)" if cut.get("twin") else "")
                changed[name] = apply(changed[name], cut, place, f"lab {self.number}, task {task.name}, {name}")
        return {name: include_not_done(text) if "heed::lab::" in text else text for name, text in changed.items()}

    def hints(self):
        """{check: [hint, ...]} of hints.md, and {"after": [...]} for what to show after success."""
        found, name = {}, None
        for line in (self.folder / "hints.md").read_text(encoding="utf-8").splitlines():
            if line.startswith("## "):
                name = line[3:].strip()
                found[name] = []
            elif name and re.match(r"\d\. ", line):
                found[name].append(line[3:])
            elif name and found[name] and line.startswith("   "):
                found[name][-1] += " " + line.strip()
            elif name == "after" and line.strip():
                found[name].append(line)
        return found


def is_handout(root):
    return (root / "labs/handout.json").exists()


def read_handout(root):
    """The numbers of a handout's labs, and the hash of its blanks."""
    return take(read_json(root / "labs/handout.json", "labs/handout.json"), "labs/handout.json", ("labs", "blanks"))


def handed_out(root, lab):
    """{file: text} of a lab's files as a handout came with them."""
    row = read_handout(root)
    if lab.number not in row["labs"]:
        raise LabError(f"lab {lab.number} is not cut in this handout; labs {', '.join(map(str, row['labs']))} are")
    path = root / BLANKS
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != row["blanks"]:
        raise LabError(f"{BLANKS} is not as it was handed out; copy it from there anew")
    texts = read_json(path, BLANKS)
    return {name: texts[name] for name in lab.files}


class Course:
    def __init__(self, root):
        self.root = Path(root)
        folders = sorted(p.parent for p in (self.root / "labs").glob("[0-9][0-9]-*/lab.json"))
        self.labs = {lab.number: lab for lab in map(Lab, folders)}
        self.assign()

    def assign(self, student=""):
        """Gives every lab the variation of a student; labs/class.json holds what a teacher chose."""
        path = self.root / "labs/class.json"
        row = read_json(path, "labs/class.json") if path.exists() else {}
        take(row, "labs/class.json", (), ("salt", "families", "hints"))
        for lab in self.labs.values():
            lab.tells_hints = bool(row.get("hints"))
            lab.assign(student, row.get("salt", ""), row.get("families", {}))

    def lab(self, number):
        if number not in self.labs:
            raise LabError(f"there is no lab {number}; there are {', '.join(map(str, self.labs))}")
        return self.labs[number]

    def blanks(self, lab):
        """{file: text} of what a lab cuts, as students get it; a handout has it as it was made."""
        return handed_out(self.root, lab) if is_handout(self.root) else lab.cut(self.texts(lab))

    def texts(self, lab, root=None):
        return {name: ((root or self.root) / name).read_text(encoding="utf-8") for name in lab.files}
