"""The notebook runs from a checkout, without Jupyter, and draws what is kept."""
import contextlib
import io
import json
import os
import unittest
from xml.etree import ElementTree

import numpy as np

from helpers import ROOT

NOTEBOOK = ROOT / "python" / "notebooks" / "experiment.ipynb"


class Notebook(unittest.TestCase):
    def run_cells(self, cells):
        """What the code cells define, run in the notebook's folder, and what they print."""
        names, printed, before = {"__name__": "__main__"}, io.StringIO(), os.getcwd()
        os.chdir(NOTEBOOK.parent)
        try:
            with contextlib.redirect_stdout(printed):
                for i, cell in enumerate(cells):
                    exec(compile("".join(cell["source"]), f"{NOTEBOOK.name}, code cell {i + 1}", "exec"), names)
        finally:
            os.chdir(before)
        return names, printed.getvalue()

    def test_it_draws_the_kept_numbers(self):
        notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
        cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
        for cell in cells:
            self.assertEqual((cell["outputs"], cell["execution_count"]), ([], None), "outputs are stripped")
        names, printed = self.run_cells(cells)
        self.assertIn("lower on 9 of 9 sets", printed)
        figure = ElementTree.fromstring(names["figure"])
        drawn = [rect for rect in figure.iter("{http://www.w3.org/2000/svg}rect") if rect.get("class") == "bar"]
        wanted = [value for values in names["bars"].values() for value, _, _, _ in values]
        self.assertEqual(len(drawn), 27)
        heights = np.array([float(rect.get("height")) for rect in drawn])
        np.testing.assert_allclose(heights / heights[0], np.array(wanted) / wanted[0], rtol=1e-2)
        diamonds = [path for path in figure.iter("{http://www.w3.org/2000/svg}path") if path.get("class") == "paper"]
        self.assertGreater(len(diamonds), 15)
