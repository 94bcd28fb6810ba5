"""What a class gets: the tree without history and with all labs cut; and what the teacher publishes after a deadline."""
import hashlib
import json
import posixpath
import re
from collections import Counter, defaultdict
from pathlib import Path, PurePosixPath

from . import LabError
from .build import write_files
from .course import BLANKS, read_json
from .cutting import removed
from .submissions import COMMENT, in_a_row

SHINGLE = 22  # tokens in a row that are no chance
# What tells how the library does it, and is of no use in a handout, but for what lab 8 compares with. CUDA is off there: of its
# kernels only those stay that a lab is about.
NOT_GIVEN = re.compile(r"tests/(?!reference/[\w-]+/(config|dialogs|expected|model|vocab)\.)|python/|heed/__init__\.py|pyproject\.toml|docs/add-an-op\.md|"
                       r"labs/accepted_leaks\.txt|\.github/|\.ci/|\.devcontainer/developing/|scripts/(mutants\.py|wheel\.sh)|"
                       r"tensor/kernels/gemm_eigen\.h|.*(\.cu|/talk\.md)$|$")
# What stands in a handout in the place of the project's own.
IN_PLACE_OF = {"AGENTS.md": "labs/tutor.md", "README.md": "labs/handout.md", "Makefile": "labs/labs.mk"}
CODE = (".h", ".cc", ".cu")
TEXTS = (*CODE, ".md", ".py", ".txt", ".cmake")  # that are searched
LINK = re.compile(r"(?<!!)\[([^\]]*)\]\(([^)#\s:]+)(?:#[^)\s]*)?\)")
FORMULA = 8  # characters, without spaces, of a hidden line that are no chance
TOKEN = re.compile(r"\w+|[^\w\s]")
# A twin has other names of variables. Of the runs of tokens of what was taken out, but for those that many files have, it has this
# share; with fewer runs than LEAST that is chance.
RUN, MANY, TWIN, LEAST = 6, 12, 0.22, 24
WORDS = set("auto bool char class const double else float for if inline int int32_t int64_t return size_t static std struct template T "
            "typename uint32_t uint64_t void while".split())


def numbers(text):
    """"0-2,4" -> [0, 1, 2, 4]"""
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")] if re.fullmatch(r"\s*\d+(-\d+)?\s*(,\s*\d+(-\d+)?\s*)*", text) else []
    if not ends or any(end[0] > end[-1] for end in ends):
        raise LabError(f"--labs takes numbers and ranges such as 0-2,4; got {text!r}")
    return sorted({number for end in ends for number in range(end[0], end[-1] + 1)})


def without_answers(text):
    """lab.json without hidden lines, and without how a solution begins and ends, or what was right: of a
    function of which a part was taken out only the name is left, by which `reset` and `catch-up` put it back as a whole."""
    row = json.loads(text)
    for task in row["tasks"]:
        cuts = [{"kind": "function", "file": cut["file"], "at": cut["in"], **({"twin": True} if cut.get("twin") else {})}
                if cut["kind"] in ("statement", "break") else cut for cut in task["cuts"] if cut["kind"] != "hide"]
        task["cuts"] = [cut for i, cut in enumerate(cuts) if cut not in cuts[:i]]
    return json.dumps(row, indent=2) + "\n"


def without_dead_links(name, text, files):
    """A file of Markdown in which links to what is not in a handout are plain words."""
    folders = {str(parent) for file in files for parent in PurePosixPath(file).parents}

    def kept(match):
        target = posixpath.normpath(posixpath.join(posixpath.dirname(name), match[2]))
        return match[0] if target in files or target in folders else match[1]
    return LINK.sub(kept, text)


def squeezed(text):
    return re.sub(r"^[/*,;.]+|`", "", "".join(text.split()))


def runs(text):
    """[RUN tokens in a row of code], where variables are alike, and what is called has its name."""
    tokens = TOKEN.findall(COMMENT.sub(" ", text))
    return in_a_row([token if not re.match(r"[A-Za-z_]", token) or token in WORDS or after == "(" and len(token) > 1 else "v"
                     for token, after in zip(tokens, tokens[1:] + [""])], RUN)


class Handout:
    """{file: bytes} of a tree in which labs are cut, and [(lab, task, text)] of what was taken out of it, and of that what is hidden."""

    def __init__(self, course, labs):
        self.course, self.labs, self.taken, self.hidden = course, labs, [], []
        cut_files = {name for lab in labs for name in lab.files}
        tracked = [name for name in course.git("ls-files", "-z").split("\0") if name in cut_files or not NOT_GIVEN.match(name)]
        self.files = files = {name: (course.root / name).read_bytes() for name in tracked if (course.root / name).is_file()}
        texts = {name: files[name].decode() for name in cut_files}
        for lab in labs:
            whole, path = course.texts(lab), f"labs/{lab.folder.name}/lab.json"
            for task, cut in ((task, cut) for task in lab.tasks for cut in task.cuts):
                self.taken.append((lab.number, task.name, removed(whole[cut["file"]], cut, cut["file"])))
                self.hidden += self.taken[-1:] * (cut["kind"] == "hide")
            texts.update(lab.cut({name: texts[name] for name in lab.files}))
            if path in files:
                files[path] = without_answers(files[path].decode()).encode()
        files.update({name: text.encode() for name, text in texts.items()})
        if (course.root / "labs/class.json").exists():
            files["labs/class.json"] = (course.root / "labs/class.json").read_bytes()
        files.update({name: files.pop(other) for name, other in IN_PLACE_OF.items()})
        first = (labs or list(course.labs.values()))[0]
        files["README.md"] = files["README.md"].replace(b"LAB", b"%d" % first.number).replace(b"TASK", first.tasks[0].name.encode())
        files[BLANKS] = json.dumps(texts).encode()
        files.update({".vscode/" + name.rpartition("/")[2]: content for name, content in files.items() if name.startswith("labs/vscode/")})
        for name in [name for name in files if name.endswith(".md")]:
            files[name] = without_dead_links(name, files[name].decode(), files).encode()

    def texts(self, kinds):
        return {name: content.decode(errors="replace") for name, content in sorted(self.files.items()) if name.endswith(kinds)}

    def hidden_lines(self):
        """(file, lab, task, the line) for each hidden line, without spaces and the marks of comments, that the handout still holds: it has an
        answer, however short it is."""
        lines = {(lab, task, line) for lab, task, text in self.hidden for line in map(squeezed, text.splitlines()) if len(line) >= FORMULA}
        plain = {name: squeezed(text) for name, text in self.texts(TEXTS).items()}
        return [(name, *line) for name, text in plain.items() for line in sorted(lines) if line[2] in text]

    def leaks(self):
        """(file, lab, task, the tokens) for each piece of what was taken out that the handout still holds."""
        wanted = {run: (lab, task) for lab, task, text in reversed(self.taken) for run in in_a_row(TOKEN.findall(text), SHINGLE)}
        found = {}
        for name, text in self.texts(TEXTS).items():
            for run in filter(wanted.__contains__, in_a_row(TOKEN.findall(text), SHINGLE)):
                found.setdefault((name, *wanted[run]), " ".join(run))
        return [(*place, said) for place, said in found.items()]

    def twins(self):
        """(file, lab, task, how much of it is there) for each file that has much of what was taken out, in other names."""
        having, found = defaultdict(set), {}
        for name, text in self.texts(CODE).items():
            for run in runs(text):
                having[run].add(name)
        for lab, task, text in self.taken:
            wanted = runs(text)
            shared = Counter(name for run in wanted if len(having.get(run, ())) <= MANY for name in having.get(run, ()))
            for name, count in shared.items():
                if len(wanted) >= LEAST and count >= TWIN * len(wanted):
                    found[name, lab, task] = max(count / len(wanted), found.get((name, lab, task), 0))
        return [(*place, f"{share:.0%} of the code, in other names") for place, share in sorted(found.items())]

    def found(self):
        """What nobody accepted of all that."""
        accepted = accepted_leaks(self.course.root)
        return [leak for leak in self.leaks() + self.twins() if leak[:3] not in accepted] + self.hidden_lines()

    def write(self, out):
        if out.exists() and any(out.iterdir()):
            raise LabError(f"{out} is not empty")
        if found := self.found():
            name, lab, task, tokens = found[0]
            raise LabError(f"{name} holds a part of lab {lab}, {task}: {tokens} ({len(found)} leaks in all)")
        write_files(out, self.files)
        for name in filter(lambda name: (self.course.root / name).exists(), self.files):  # AGENTS.md is made of another file
            (out / name).chmod((self.course.root / name).stat().st_mode & 0o777)
        row = {"labs": [lab.number for lab in self.labs], "blanks": hashlib.sha256(self.files[BLANKS]).hexdigest()}
        (out / "labs/handout.json").write_text(json.dumps(row) + "\n")
        return len(self.files)


def accepted_leaks(root):
    """Lines of labs/accepted_leaks.txt: FILE LAB TASK REASON."""
    rows = map(str.split, (root / "labs/accepted_leaks.txt").read_text().splitlines())
    return {(row[0], int(row[1]), row[2]) for row in rows if row and not row[0].startswith("#")}


def solution(course, lab):
    """What `catch-up` takes: the lab's cuts, and its files as they are in the library."""
    texts = course.texts(lab)
    if blank := [name for name, text in texts.items() if f'not_done("lab {lab.number}, ' in text]:
        raise LabError(f"{blank[0]} has blanks of lab {lab.number}: a solution is made in a clone, not on the branch of a lab")
    return json.dumps({"lab": lab.number, "texts": texts})


def catch_up(course, path):
    """Puts the reference into a student's tree; returns the lab."""
    row = read_json(Path(path), path, ("lab", "texts"))  # as labs/heed-lab solution writes it
    lab = course.lab(row["lab"] if isinstance(row["lab"], int) else str(row["lab"]))
    texts = row["texts"]
    if not isinstance(texts, dict) or not all(isinstance(texts.get(name), str) for name in lab.files):
        raise LabError(f"{path}: it lacks files of lab {lab.number}")
    course.put_back(lab.cuts, texts)
    return lab
