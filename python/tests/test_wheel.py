"""The package with the program: what pyproject.toml of the root makes of it. `make wheel` builds one and names it by HEED_WHEEL."""
import os
import subprocess
import sys
import unittest
import zipfile

import heed
from helpers import ROOT, FolderTest, has

WHEEL = os.environ.get("HEED_WHEEL")
CODE = """import sys, heed
share = sys.prefix + "/share/heed"
scored = heed.score(share + "/models/trained", share + "/ubuntu-sample", options=["--limit", "2", "--examples", "last"])
print(heed.__file__.startswith(sys.prefix), heed.__version__, len(scored.table()["das_ratio"]))"""


class Projects(unittest.TestCase):
    @unittest.skipUnless(has("tomllib"), "python3 has no tomllib")
    def test_with_and_without_the_program_are_one(self):
        import tomllib
        projects = [tomllib.loads((folder / "pyproject.toml").read_text())["project"] for folder in (ROOT, ROOT / "python")]
        for key in ("name", "requires-python", "dependencies", "optional-dependencies"):
            self.assertEqual(projects[0][key], projects[1][key])


@unittest.skipUnless(WHEEL, "no wheel (HEED_WHEEL)")
class Wheel(FolderTest):
    def test_contents(self):
        entries = {entry.filename: entry for entry in zipfile.ZipFile(WHEEL).infolist()}
        data, info = (f"heed_dialogue-{heed.__version__}.{kind}/" for kind in ("data/data", "dist-info"))
        for name in (data + "bin/heed", data + "lib/libheed_kernels.so", data + "share/heed/models/trained/model.safetensors",
                     data + "share/heed/ubuntu-sample/test.jsonl.gz", data + "share/heed/README.md", data + "share/man/man1/heed.1",
                     info + "licenses/LICENSE", info + "licenses/data/README.md"):
            self.assertIn(name, list(entries))
        self.assertEqual(entries[data + "bin/heed"].external_attr >> 16 & 0o111, 0o111)
        package = {f"heed/{path.relative_to(ROOT / 'python/heed').as_posix()}" for path in (ROOT / "python/heed").rglob("*")
                   if path.is_file() and path.suffix != ".pyc"}
        self.assertEqual({name for name in entries if not name.startswith((data, info))}, package)
        self.assertEqual([name for name in entries if name.endswith((".a", ".h", ".cmake"))], [])

    def test_in_a_fresh_environment(self):
        def run(*command):
            done = subprocess.run(command, cwd=self.folder, env={"PATH": f"{self.folder}/env/bin:/usr/bin:/bin"}, capture_output=True,
                                  text=True, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            return done.stdout

        subprocess.run([sys.executable, "-m", "venv", self.folder / "env"], check=True)
        subprocess.run([self.folder / "env/bin/pip", "install", "--quiet", os.path.abspath(WHEEL)], check=True)
        self.assertTrue(run("heed", "--version").startswith(f"heed {heed.__version__}"))
        self.assertIn("DAS ratio", run("heed", "evaluate", "--limit", "2", "--test", "none,random:1.0"))  # of what is bundled
        run("heed", "respond", "--model", "env/share/heed/models/trained", "--limit", "2", "--examples", "last", "--out", "answers.jsonl")
        self.assertEqual(len((self.folder / "answers.jsonl").read_text().splitlines()), 2)
        self.assertEqual(run("python", "-c", CODE).split(), ["True", heed.__version__, "2"])
