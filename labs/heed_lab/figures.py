"""Figures: numbers of the lab's program, drawn as SVG by the module that draws those of the benchmarks."""
import importlib.util
import json
import subprocess

from . import LabError


def draw(root, program, seed, path):
    done = subprocess.run([str(program), "--figure", f"--seed={seed}"], capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise LabError(f"there is no figure yet: {done.stderr.strip()}")
    row = json.loads(done.stdout)
    spec = importlib.util.spec_from_file_location("svg", root / "bench/svg.py")
    svg = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(svg)
    path.write_text(svg.curves(row["title"], row["x"], row["y"], row["values"], row["lines"]), encoding="utf-8")
