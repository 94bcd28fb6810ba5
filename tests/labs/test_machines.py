"""What machines take that are not here: the container, and the workflow of GitHub Actions in docs/teaching.md."""
import copy
import json
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path

import formats
import helpers
from heed_lab import handout
from heed_lab.commands import PARSER

FOLDER = helpers.ROOT / ".devcontainer"


def containers():
    return sorted(FOLDER.rglob("devcontainer.json"))


class Container(unittest.TestCase):
    def test_settings_are_what_editors_read(self):
        for path in containers():
            row = json.loads(path.read_text())
            formats.check_devcontainer(row)
            build = row["build"]
            self.assertTrue((path.parent / build["context"]).samefile(helpers.ROOT))
            self.assertRegex((path.parent / build["dockerfile"]).read_text(), rf"(?m)^FROM \S+ AS {build['target']}$")
        good = json.loads((FOLDER / "devcontainer.json").read_text())
        for wrong in ({"image": 3}, {"name": 3}, {"build": {"target": "tools"}}, {"build": {"dockerfile": "x", "file": "y"}},
                      {"hostRequirements": {"cpus": "2"}}):
            with self.assertRaises(AssertionError):
                formats.check_devcontainer({**good, **wrong})

    def test_a_handout_has_all_of_it(self):
        course = helpers.course()
        files = handout.Handout(course, list(course.labs.values())).files
        self.assertEqual([name for name in files if name.endswith("devcontainer.json")], [".devcontainer/devcontainer.json"])
        copied = re.findall(r"^COPY (\S+) ", (FOLDER / "Dockerfile").read_text(), re.M)
        self.assertEqual(copied, ["scripts/setup.sh", "."])
        for name in (".devcontainer/Dockerfile", ".dockerignore", "CMakePresets.json", "scripts/setup.sh"):
            self.assertIn(name, files)

    def test_what_is_built_is_there(self):
        """The preset and the target that the image and the editor build."""
        built = set(re.findall(r"cmake --preset (\w+) && cmake --build --preset (\w+) --target (\w+)",
                               "".join(path.read_text() for path in [FOLDER / "Dockerfile", FOLDER / "devcontainer.json"])))
        self.assertEqual(built, {("lab", "lab", "heed_lab_programs")})
        presets = json.loads((helpers.ROOT / "CMakePresets.json").read_text())
        for kind in ("configurePresets", "buildPresets"):
            self.assertIn("lab", [preset["name"] for preset in presets[kind]])
        self.assertIn("add_custom_target(heed_lab_programs", (helpers.ROOT / "cmake/HeedLabs.cmake").read_text())


class Setup(unittest.TestCase):
    def asked(self, *arguments):
        """What scripts/setup.sh installs where there is no tool at all."""
        with tempfile.TemporaryDirectory() as folder:
            for name, text in {"apt-get": f'echo "$@" >> {folder}/asked', "sudo": '"$@"', "dirname": "echo ."}.items():
                (Path(folder) / name).write_text(f"#!/bin/bash\n{text}\n")
                (Path(folder) / name).chmod(0o755)
            os.symlink("/usr/bin/env", Path(folder) / "env")
            subprocess.run(["/bin/bash", helpers.ROOT / "scripts/setup.sh", *arguments], env={"PATH": folder}, check=True,
                           capture_output=True)
            return set((Path(folder) / "asked").read_text().splitlines()[-1].split()) - {"install", "-y", "-q"}

    def test_labs_need_little(self):
        tools = {"g++", "cmake", "ninja-build", "make", "git", "python3", "gdb"}
        headers = {"libeigen3-dev", "libcli11-dev", "nlohmann-json3-dev", "zlib1g-dev", "libutf8proc-dev", "libgtest-dev"}
        asked = self.asked("lab") - {"--no-install-recommends"}
        self.assertEqual(asked - headers, tools)
        self.assertFalse({"gdb", "python3"} & self.asked())


class Workflow(unittest.TestCase):
    def setUp(self):
        try:
            import yaml
        except ImportError:
            self.skipTest("no PyYAML here")
        text = (helpers.ROOT / "docs/teaching.md").read_text()
        self.row = yaml.load(re.search(r"^```yaml\n(.*?)^```", text, re.M | re.S)[1], Loader=yaml.BaseLoader)

    def test_it_is_what_github_reads(self):
        formats.check_workflow(self.row)

    def test_its_rules_can_fail(self):
        def job(row):
            return row["jobs"]["judge"]
        wrongs = (lambda row: row.pop("on"), lambda row: row.update(onn="push"), lambda row: row["permissions"].update(content="read"),
                  lambda row: row["permissions"].update(contents="all"), lambda row: row.update(jobs={}),
                  lambda row: row["jobs"].update({"1st": job(row)}), lambda row: job(row).pop("runs-on"),
                  lambda row: job(row).update(timeout="3"), lambda row: job(row).update({"timeout-minutes": "soon"}),
                  lambda row: job(row)["steps"].append({"run": "ls", "uses": "a/b@v1"}), lambda row: job(row)["steps"].append({}),
                  lambda row: job(row)["steps"].append({"uses": "checkout"}), lambda row: job(row)["steps"].append({"run": "ls", "wit": {}}),
                  lambda row: job(row)["steps"].append({"run": "ls", "with": {"path": "x"}}),
                  lambda row: job(row)["steps"].append({"uses": "a/b@v1", "shell": "sh"}))
        for number, spoil in enumerate(wrongs):
            row = copy.deepcopy(self.row)
            spoil(row)
            with self.subTest(number), self.assertRaises(AssertionError):
                formats.check_workflow(row)

    def test_its_commands_are_those_of_the_course(self):
        commands = [shlex.split(step["run"].replace("course/", "")) for step in self.row["jobs"]["judge"]["steps"] if "run" in step]
        self.assertEqual([words[0] for words in commands], ["scripts/setup.sh", "labs/heed-lab"])
        self.assertEqual(commands[0][1:], ["lab"])
        self.assertEqual(PARSER.parse_args(commands[1][1:]).command, "grade")
