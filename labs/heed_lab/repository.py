"""A clone that a student learns in: a branch for each lab, with the reference kept as refs/heed-lab/N."""
import subprocess

from . import LabError
from .build import write_files
from .course import handed_out, is_handout
from .cutting import put


class Repository:
    def __init__(self, root):
        self.root = root

    def git(self, *arguments):
        done = subprocess.run(["git", "-C", self.root, *arguments], capture_output=True, text=True)
        if done.returncode != 0:
            raise LabError(f"git {arguments[0]}: {(done.stderr or done.stdout).strip()}")
        return done.stdout

    def refuse_changes(self, lab):
        self.git("var", "GIT_COMMITTER_IDENT")  # without a name git will not commit
        changed = self.git("status", "--porcelain", "--", *lab.files).splitlines()
        if changed:
            raise LabError(f"{changed[0][3:]} has changes that are not committed; commit or stash them first")
        if self.git("branch", "--list", lab.branch).strip():
            raise LabError(f"the branch {lab.branch} is there already: git switch {lab.branch}; or begin anew after git branch -D {lab.branch}")

    def start(self, lab, texts):
        """Makes the branch and commits the cut files on it."""
        self.git("switch", "-c", lab.branch)
        self.git("update-ref", f"refs/heed-lab/{lab.number}", "HEAD")
        write_files(self.root, {name: text.encode() for name, text in texts.items()})
        self.git("commit", "-q", "-m", f"Lab {lab.number}: blanks", "--", *texts)

    def reference(self, lab):
        """{file: text} before the cuts."""
        if is_handout(self.root):
            raise LabError("a handout does not hold the library's version: your teacher publishes it after the deadline, "
                           "and labs/heed-lab catch-up FILE puts it in")
        try:
            return {name: self.git("show", f"refs/heed-lab/{lab.number}:{name}") for name in lab.files}
        except LabError:
            raise LabError(f"lab {lab.number} was not begun in this clone: labs/heed-lab start {lab.number}") from None

    def reset(self, lab, task):
        """Puts the blanks of a task back, each with the function or struct around it."""
        blanks = handed_out(self.root, lab) if is_handout(self.root) else lab.cut(self.reference(lab))
        put_back(self.root, task.cuts, blanks)


def put_back(root, cuts, texts):
    """Writes the functions around cuts as they are in {file: text} into a tree."""
    for cut in cuts:
        path, name = root / cut["file"], cut["file"]
        path.write_text(put(path.read_text(encoding="utf-8"), cut, texts[name], name), encoding="utf-8")
