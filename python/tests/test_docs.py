"""The code of docs/python.md runs, in its order, as far as Python has what it needs."""
import contextlib
import io
import os
import re
import subprocess
from unittest import mock

from heed.program import find_program
from helpers import ROOT, FolderTest, has, needs_program


def blocks():
    """The Python of the page; without the lines and blocks whose package is missing."""
    page = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        if "import torch" in block and not has("torch"):
            continue
        yield "".join(line for line in block.splitlines(True) if "to_pandas" not in line or has("pandas"))


class Page(FolderTest):
    @needs_program
    def test_its_code_runs(self):
        os.symlink(ROOT / "data", self.folder / "data")
        before, program = os.getcwd(), os.path.abspath(find_program())
        environment = mock.patch.dict(os.environ, HEED_PROGRAM=program)
        environment.start()
        self.addCleanup(environment.stop)
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        subprocess.run([program, "evaluate", "--model", "data/models/trained", "--data", "data/ubuntu-sample", "--limit",
                        "20", "--test", "none,random:1.0", "--json", "evaluation.json"], check=True, capture_output=True)
        names, printed, run = {}, io.StringIO(), 0
        with contextlib.redirect_stdout(printed):
            for block in blocks():
                exec(compile(block, "docs/python.md", "exec"), names)
                run += 1
        self.assertGreaterEqual(run, 3)
        self.assertIn("static-ui 0.7", printed.getvalue())
        subprocess.run([program, "probe", "--features", "my-features"], check=True, capture_output=True)
