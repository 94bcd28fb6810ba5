"""start and reset, in a clone that holds nothing but a lab's files."""
import hashlib
import json
import subprocess
import tempfile
import unittest
from pathlib import Path

import helpers
from heed_lab import LabError, handout
from heed_lab.course import Course


class Clone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.lab = helpers.course().lab(2)
        self.texts = helpers.course().texts(self.lab)
        for name, text in self.texts.items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)
        self.course = Course(self.root)
        for arguments in (("init", "-q"), ("config", "user.name", "a student"), ("config", "user.email", "s@example.org"),
                          ("add", "."), ("commit", "-q", "-m", "all")):
            subprocess.run(["git", "-C", self.root, *arguments], check=True)

    def start(self):
        self.course.refuse_changes(self.lab)
        self.course.start(self.lab)

    def reset(self, lab, task):
        self.course.put_back(task.cuts, self.course.blanks(lab, self.course.reference))

    def text(self, name):
        return (self.root / name).read_text()

    def test_start(self):
        self.start()
        self.assertEqual(self.course.git("branch", "--show-current").strip(), "lab-2")
        self.assertEqual(self.course.git("status", "--porcelain"), "")
        self.assertIn('not_done("lab 2, add")', self.text("autograd/node.cc"))
        self.assertEqual(self.course.reference(self.lab), self.texts)
        with self.assertRaisesRegex(LabError, "autograd/node.cc has blanks of lab 2: a solution is made in a clone"):
            handout.solution(self.course, self.lab)

    def test_start_refuses_changes_and_a_second_time(self):
        (self.root / "autograd/node.cc").write_text("mine")
        with self.assertRaisesRegex(LabError, "autograd/node.cc has changes that are not committed"):
            self.course.refuse_changes(self.lab)
        self.course.git("checkout", "-q", "autograd/node.cc")
        self.start()
        with self.assertRaisesRegex(LabError, "the branch lab-2 is there already"):
            self.course.refuse_changes(self.lab)

    def test_reset_takes_one_task_out_again(self):
        self.start()
        blanks = {name: self.text(name) for name in self.lab.files}
        mine = {name: text.replace('::heed::lab::not_done("lab 2, ', 'my_own("') for name, text in blanks.items()}
        for name, text in mine.items():
            (self.root / name).write_text(text)
        self.reset(self.lab, self.lab.task("add"))
        self.assertIn('::heed::lab::not_done("lab 2, add")', self.text("autograd/node.cc"))
        self.assertIn('my_own("reachable")', self.text("autograd/node.cc"))
        self.reset(self.lab, self.lab.task("backward"))
        self.assertIn('::heed::lab::not_done("lab 2, backward")', self.text("autograd/var.cc"))
        self.assertIn('my_own("step")', self.text("autograd/var.cc"))
        (self.root / "autograd/node.cc").write_text(mine["autograd/node.cc"])
        (self.root / "autograd/var.cc").write_text("")
        with self.assertRaisesRegex(LabError, "autograd/var.cc: 0 lines begin"):  # and none of the two files changes
            self.course.put_back(self.lab.cuts, blanks)
        self.assertEqual(self.text("autograd/node.cc"), mine["autograd/node.cc"])

    def hand_out(self, blanks):
        (self.root / "labs").mkdir(exist_ok=True)
        text = json.dumps(blanks)
        (self.root / "labs/blanks.json").write_text(text)
        (self.root / "labs/handout.json").write_text(json.dumps({"labs": [2], "blanks": hashlib.sha256(text.encode()).hexdigest()}))

    def test_handouts_have_no_other_version(self):
        self.hand_out({})
        with self.assertRaisesRegex(LabError, "your teacher publishes it after the deadline"):
            self.course.reference(self.lab)

    def test_reset_in_a_handout(self):
        blanks = self.lab.cut(self.texts)
        self.hand_out(blanks)
        self.reset(self.lab, self.lab.task("add"))  # the tree holds the library's version
        self.assertIn('::heed::lab::not_done("lab 2, add")', self.text("autograd/node.cc"))
        self.assertNotIn('::heed::lab::not_done("lab 2, reachable")', self.text("autograd/node.cc"))
        with self.assertRaisesRegex(LabError, "lab 3 is not cut in this handout; labs 2 are"):
            self.reset(helpers.course().lab(3), helpers.course().lab(3).task("matmul"))
        (self.root / "labs/blanks.json").write_text(json.dumps(blanks) + " ")
        with self.assertRaisesRegex(LabError, "labs/blanks.json is not as it was handed out"):
            self.reset(self.lab, self.lab.task("add"))

    def test_reset_before_start(self):
        with self.assertRaisesRegex(LabError, "lab 2 was not begun"):
            self.reset(self.lab, self.lab.task("add"))
