"""Figures: numbers of the lab's program, drawn as SVG by the module that draws those of the benchmarks."""
import importlib.util
import json
import subprocess

from . import LabError


def numbers_of(program, what, seed):
    """What the program prints for a picture."""
    done = subprocess.run([str(program), what, f"--seed={seed}"], capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise LabError(f"there is no picture yet: {done.stderr.strip() or f'it ended with status {done.returncode}'}")
    print(done.stderr, end="")  # what the lab says beside its picture
    return json.loads(done.stdout)


def draw(root, program, seed, path):
    row = numbers_of(program, "--figure", seed)
    spec = importlib.util.spec_from_file_location("svg", root / "bench/svg.py")
    svg = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(svg)
    path.write_text(svg.curves(row["title"], row["x"], row["y"], row["values"], row["lines"]), encoding="utf-8")
