"""Handouts hold no solutions, and catch-up brings them back."""
import copy
import json
import re
import shutil
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import helpers
from heed_lab import LabError, handout
from heed_lab.commands import PARSER
from heed_lab.course import Course
from heed_lab.cutting import INCLUDE, removed


class Handouts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.course = helpers.course()
        cls.labs = list(cls.course.labs.values())
        cls.made = handout.Handout(cls.course, cls.labs)
        cls.files, cls.taken = cls.made.files, cls.made.taken

    def of(self, files):
        """The handout with other files."""
        made = copy.copy(self.made)
        made.files = files
        return made

    def test_leaks_are_the_accepted_ones(self):
        """Of a handout of all labs; test_proofs has the other plans."""
        self.assertEqual(self.made.found(), [])

    def test_a_leak_is_found_wherever_spaces_are(self):
        body = next(text for _, task, text in self.taken if task == "destroy")
        found = self.of({"docs/x.md": ("So: " + body.replace("\n", "  ")).encode()}).found()
        self.assertEqual(found[0][:3], ("docs/x.md", 2, "destroy"))

    def test_a_twin_is_found_whatever_its_names_are(self):
        """Those that people found in a handout, as the library has them, and one of all other names."""
        wanted = [("tensor/kernels/attention.cu", 9, "softmax"), ("tensor/kernels/attention.cu", 9, "softmax_gradient"),
                  ("tensor/kernels/attention.cc", 4, "softmax"), ("tensor/kernels/attention.cc", 4, "softmax_gradient"),
                  ("nn/attention.cc", 7, "attend"), ("tensor/kernels/gemm_bf16_tiles.h", 10, "tile"), ("x.cc", 3, "matmul"), ("y.cc", 2, "destroy")]
        bmm = (helpers.ROOT / "autograd/ops/matmul.cc").read_text().partition("Var bmm(")[2].partition("\nnamespace {")[0]
        body = next(text for _, task, text in self.taken if task == "destroy")
        for name in ("node", "orphans", "inputs", "next_orphan_"):
            body = re.sub(rf"\b{name}\b", f"other_{name}", body)
        self.assertEqual(self.of({"y.cc": body.encode()}).leaks(), [])
        planted = {file: (helpers.ROOT / file).read_bytes() for file, _, _ in wanted[:6]} | {"x.cc": bmm.encode(), "y.cc": body.encode()}
        found = [row[:3] for row in self.of(self.files | planted).twins()]
        for row in wanted:
            self.assertIn(row, found)

    def test_twins_are_nobodys_task(self):
        self.assertEqual({name for lab in self.labs for name in lab.written} & {"tensor/kernels/attention.cc", "tensor/kernels/gemm_bf16.h"}, set())
        text = self.files["tensor/kernels/attention.cc"].decode()
        self.assertIn('not_done("lab 4, softmax (its twin: comes back with the solution)")', text)
        self.assertNotIn("row_exp", text)

    def test_every_lab_is_cut_and_says_no_answer(self):
        for lab in self.labs:
            row = json.loads(self.files[f"labs/{lab.folder.name}/lab.json"])
            self.assertNotIn(f"tests/labs/slips/{lab.number:02}.json", self.files)
            self.assertEqual({cut["kind"] for task in row["tasks"] for cut in task["cuts"]} - {"function", "line"}, set())
            self.assertEqual({key for task in row["tasks"] for cut in task["cuts"] for key in cut} & {"to", "piece", "with"}, set())
            self.assertNotIn(f"labs/{lab.folder.name}/talk.md", self.files)
            text = "".join(self.files[name].decode() for name in lab.files)
            for task in lab.tasks:
                broken = [cut for cut in task.cuts if cut["kind"] == "break"]
                for cut in broken:
                    self.assertNotIn(removed(self.course.texts(lab)[cut["file"]], cut, ""), text)
                if not broken:
                    self.assertIn(f'"lab {lab.number}, {task.name}"', text)
            for cut in (cut for task in lab.tasks for cut in task.cuts if cut["kind"] == "statement"):
                given = [(c["at"], c.get("twin")) for task in row["tasks"] for c in task["cuts"] if c["file"] == cut["file"]]
                self.assertIn((cut["in"], cut.get("twin")), given)
                self.assertNotIn((cut["at"], cut.get("twin")), given)

    def test_no_hidden_line_is_elsewhere(self):
        self.assertEqual(self.made.hidden_lines(), [])
        said = {"docs/x.md": b"So `dx_i = y_i\n(dy_i - sum_j y_j dy_j)`."}
        self.assertEqual(self.of(said).hidden_lines(),
                         [("docs/x.md", 4, "softmax_gradient", "dx_i=y_i(dy_i-sum_jy_jdy_j)")])

    def test_no_dead_links(self):
        self.assertIn("docs/teaching.md", self.files)
        for name, content in self.files.items():
            if name.endswith(".md"):
                self.assertEqual(handout.without_dead_links(name, content.decode(), self.files), content.decode(), name)
        text = "[a](b.md), [c](docs/x.md#d), [e](https://f), ![g](no.png), [h](docs)"
        self.assertEqual(handout.without_dead_links("README.md", text, {"docs/x.md": b""}),
                         "a, [c](docs/x.md#d), [e](https://f), ![g](no.png), [h](docs)")

    def test_assistants_are_asked_to_tutor(self):
        text = self.files["AGENTS.md"].decode()
        for word in ("Explain concepts", "hint", "Write no solutions"):
            self.assertIn(word, text)
        self.assertNotIn("labs/tutor.md", self.files)

    def test_settings_of_an_editor_are_there(self):
        for name in ("launch.json", "tasks.json"):
            text = self.files[f".vscode/{name}"].decode()
            self.assertEqual({entry["id"] for entry in json.loads(text)["inputs"]}, set(re.findall(r"\$\{input:(\w+)\}", text)))

    def test_what_a_class_was_given_is_in_it(self):
        with tempfile.TemporaryDirectory() as folder, mock.patch.object(Course, "git", return_value="\0".join(handout.IN_PLACE_OF.values())):
            shutil.copytree(helpers.ROOT / "labs", Path(folder) / "labs")
            (Path(folder) / "labs/class.json").write_text('{"salt": "autumn"}')
            files = handout.Handout(Course(folder), []).files
            self.assertEqual(files["labs/class.json"], b'{"salt": "autumn"}')

    def test_kernels_of_cuda_are_left_out(self):
        def kernels(files):
            return [name for name in files if name.endswith(".cu")]
        self.assertEqual(kernels(self.files), ["labs/09-a-kernel/five.cu", "tensor/kernels/softmax.cu"])  # which lab 9 cuts itself
        others = handout.Handout(self.course, [lab for lab in self.labs if lab.number != 9]).files
        self.assertEqual(kernels(others), [])

    def test_it_says_what_it_is_and_promises_what_it_has(self):
        readme, makefile = self.files["README.md"].decode(), self.files["Makefile"].decode()
        commands = set(re.findall(r"`labs/heed-lab (\w[\w-]*)", readme))
        self.assertLessEqual({"start", "test", "watch", "hint", "reset"}, commands)
        self.assertLessEqual(commands, set(PARSER._subparsers._group_actions[0].choices))
        for name in set(re.findall(r"`((?:docs|labs|scripts)/[\w./-]+\.\w+)`", readme)):
            self.assertIn(name, self.files)
        self.assertEqual(re.findall(r"^([\w-]+):", makefile, re.M), ["help", "lab", "grade"])
        for name in (name for name in self.files if name.endswith(("hints.md", "README.md"))):
            self.assertNotIn("heed-lab compare", self.files[name].decode(), name)

    def test_reference_cases_stay_and_programs_that_make_them_do_not(self):
        for structure in ("non-hier", "static", "static-ui", "dynamic", "dynamic-ui"):
            for name in ("config.json", "dialogs.jsonl", "expected.json", "model.safetensors", "vocab.txt"):
                self.assertIn(f"tests/reference/{structure}/{name}", self.files)
        self.assertEqual([name for name in self.files if name.startswith("python/") or "reference/generate" in name], [])

    def test_it_is_written_as_it_is_said(self):
        with tempfile.TemporaryDirectory() as folder:
            count = self.made.write(Path(folder))
            files = [path for path in Path(folder).rglob("*") if path.is_file()]
            self.assertEqual(len(files), count + 1)  # and labs/handout.json
            self.assertTrue((Path(folder) / "labs/heed-lab").stat().st_mode & 0o100)
            self.assertIn("Write no solutions", (Path(folder) / "AGENTS.md").read_text())
            numbers = json.loads((Path(folder) / "labs/handout.json").read_text())
            self.assertEqual(numbers["labs"], [lab.number for lab in self.labs])
            with self.assertRaisesRegex(LabError, "is not empty"):
                self.made.write(Path(folder))

    def test_numbers(self):
        self.assertEqual(handout.numbers("0-2,4"), [0, 1, 2, 4])
        self.assertEqual(handout.numbers("2,0-2"), [0, 1, 2])
        with self.assertRaisesRegex(LabError, "got '4-0'"):  # none would be cut
            handout.numbers("4-0")
        for wrong in ("", "a", "1-", "-1", "1,,2"):
            with self.assertRaisesRegex(LabError, "--labs takes"):
                handout.numbers(wrong)


class CatchUp(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        shutil.copytree(helpers.ROOT / "labs", self.root / "labs")
        self.hand_out(2)

    def hand_out(self, number):
        self.lab = helpers.course().lab(number)
        self.texts = helpers.course().texts(self.lab)
        for name, text in self.lab.cut(self.texts).items():
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(text)

    def write(self, row):
        path = self.root / "lab2"
        path.write_text(row if isinstance(row, str) else json.dumps(row))
        return path

    def test_the_reference_comes_back(self):
        for number in helpers.course().labs:
            with self.subTest(lab=number):
                self.hand_out(number)
                path = self.root / f"labs/{self.lab.folder.name}/lab.json"
                path.write_text(handout.without_answers(path.read_text()))
                self.check_catch_up()

    def check_catch_up(self):
        handout.catch_up(Course(self.root), self.write(handout.solution(helpers.course(), self.lab)))
        for name, text in self.texts.items():
            found = (self.root / name).read_text().replace(f"{INCLUDE}\n", "")
            for cut in (cut for task in self.lab.tasks for cut in task.cuts if cut["kind"] == "hide" and cut["file"] == name):
                piece = removed(text, cut, name)
                text, found = text.replace(piece, ""), found.replace(piece, "")  # outside of functions it stays hidden
            self.assertEqual(text, found)

    def test_other_files_are_refused(self):
        for row in ("", "[]", {"lab": 2}, {"lab": 2, "texts": {"../x": "y"}}, {"lab": 2, "texts": []},
                    {"lab": 77, "texts": {}}, {"lab": [], "texts": {}}, {"lab": 2, "texts": dict.fromkeys(self.texts, 1)}):
            with self.assertRaises(LabError):
                handout.catch_up(Course(self.root), self.write(row))
