"""`figure` and `show`: numbers of the lab's program as pictures. Those of `show` are parts of lab.html, one page that needs no network; each
is (what the terminal says, HTML, script), and none needs a colour."""
import json
import math
import runpy
import subprocess
from collections import Counter
from html import escape
from itertools import groupby

from . import LabError, pages
from .build import write_overlay
from .pages import axis, curve, scroll, table
from .running import run_check

ROW = 34  # pixels of a row of the table of a graph, as page.css has it
FLOAT, SECTOR, BANKS = 4, 32, 32  # bytes, bytes, words side by side
MARKS = "●○◆◇▲■"  # of the lines of a roofline, in their order
OF_A_PAGE = {"graph": "nodes", "memory": "nodes", "access": "kernels"}  # what the numbers of a lab's page have
WHAT = (*OF_A_PAGE, "tensor", "roofline")


def numbers_of(program, what, seed):
    """What the program prints for a picture."""
    done = subprocess.run([str(program), what, f"--seed={seed}"], capture_output=True, text=True, timeout=180)
    if done.returncode != 0:
        raise LabError(f"there is no picture yet: {done.stderr.strip() or f'it ended with status {done.returncode}'}")
    print(done.stderr, end="")  # what the lab says beside its picture
    return json.loads(done.stdout)


def draw(root, program, seed, path):
    """The figure, by the module that draws those of the benchmarks."""
    row = numbers_of(program, "--figure", seed)
    curves = runpy.run_path(str(root / "bench/svg.py"))["curves"]
    path.write_text(curves(row["title"], row["x"], row["y"], row["values"], row["lines"]), encoding="utf-8")


def part(bench, what, seed, check=None):
    """One picture of `show`."""
    if what == "tensor":
        return tensors(bench.lab, bench.program(), seed, check)
    if what == "roofline":
        return roofline(bench, bench.program(), seed)
    numbers = numbers_of(bench.program(), "--show", seed) if (bench.lab.folder / "show.cc").exists() else {}
    if OF_A_PAGE[what] not in numbers:
        raise LabError(f"lab {bench.lab.number} has no {what}")
    if what == "access":
        return accesses(numbers)
    story = Story(numbers)
    return story.graph_text() if what == "graph" else story.memory_text(), *story.page()


def page(lab, parts, how):
    """parts: {HTML: script}; how: what was typed."""
    title = f"Lab {lab.number}: {lab.title}"
    footer = f"<footer>labs/heed-lab show {lab.number} {escape(how)}, with the code of this tree.</footer>"
    return pages.page(title, f"<h1>{escape(title)}</h1>\n{''.join(parts)}{footer}", "".join(parts.values()))


# ---- the graph of an example

def mib(count):
    return f"{count / (1 << 20):.2f}"


class Story:
    """The graph of a lab's example as it was recorded, and its backward pass node by node, with the memory in use."""

    def __init__(self, numbers):
        self.numbers, self.title, self.nodes, self.steps = numbers, numbers["title"], numbers["nodes"], numbers["steps"]
        self.most = max(step["bytes"] for step in self.steps) or 1

    def rows(self):
        """Of each node: number, op, name, shape, what it reads, its forward step (None for an op within another), its backward step, when
        that was, and how many MiB were let go."""
        forward = {step["number"]: step for step in self.steps if step["forward"]}
        backward = {step["number"]: (step, i) for i, step in enumerate((step for step in self.steps if not step["forward"]), 1)}
        for node in self.nodes:
            back, when = backward.get(node["number"], (None, ""))
            yield (node["number"], node["op"], node["name"], node["shape"], ", ".join(map(str, node["inputs"])),
                   forward.get(node["number"]), back, when, mib(back["freed"]) if back else "")

    def graph_text(self):
        """What `show graph` prints: the graph from its first node on."""
        rows = [("node", "op", "", "shape", "reads", None, None, "backward", "let go"), *self.rows()]
        return "\n".join([f"{self.title}: {len(self.nodes)} nodes"] + [
            f"{number:>5}  {op:<10} {shape:<14} {reads:<14} {when:>8}  {freed:>8}  {name}".rstrip()
            for number, op, name, shape, reads, _, _, when, freed in rows])

    def memory_text(self):
        """What `show memory` prints: the bytes in use after each step."""
        ops = {node["number"]: node["op"] for node in self.nodes}
        return "\n".join(f"{'recorded' if step['forward'] else 'backward'} {step['number']:>4} {ops[step['number']]:<10} "
                         f"{mib(step['bytes']):>8} MiB {'#' * round(40 * step['bytes'] / self.most)}" for step in self.steps)

    def edges(self):
        """Arcs from what reads to what it reads, in a column left of the table."""
        at = {node["number"]: ROW * i + ROW * 1.5 for i, node in enumerate(self.nodes)}
        paths = []
        for node in self.nodes:
            for source in filter(at.__contains__, node["inputs"]):
                y0, y1 = at[node["number"]], at[source]
                out = 100 - min(92, 12 + (y0 - y1) / 4)
                paths.append(f'<path class="edge" data-number="{node["number"]}" d="M100,{y0} C{out:.0f},{y0} {out:.0f},{y1} 100,{y1}"/>')
        height = ROW * (len(self.nodes) + 1)
        return f'<svg width="104" height="{height}" viewBox="0 0 104 {height}" aria-hidden="true">{"".join(paths)}</svg>'

    def node_table(self):
        def used(step, kind):
            return f'<span class="bar {kind}" style="width:{6 * step["bytes"] / self.most:.2f}rem"></span>{mib(step["bytes"])}' if step else ""
        rows = [(f' data-number="{number}"', [number, escape(op), escape(name), shape, reads, used(forward, "there"), when, used(back, "back"), freed])
                for number, op, name, shape, reads, forward, back, when, freed in self.rows()]
        return table(("node", "op", "value", "shape", "reads", "MiB, recorded", "backward", "MiB after", "let go, MiB"), rows)

    def chart(self):
        """(SVG of the memory over the steps, the points of the curve)"""
        points = [(60 + 640 * i / max(1, len(self.steps) - 1), 220 - 190 * step["bytes"] / self.most) for i, step in enumerate(self.steps)]
        turn = sum(step["forward"] for step in self.steps)
        middle, most = points[turn - 1][0], mib(self.most)
        return (f'<svg viewBox="0 0 720 250" role="img" aria-label="Memory in use over the steps, at most {most} MiB">'
                f'{axis(60, 220, 700, 220)}{axis(middle, 20, middle, 220)}'
                f'<text x="52" y="34" text-anchor="end">{most}</text><text x="52" y="224" text-anchor="end">0 MiB</text>'
                f'<text x="{middle - 8:.1f}" y="240" text-anchor="end">recording</text><text x="{middle + 8:.1f}" y="240">backward (dashed)</text>'
                f'{curve("curve there", points[:turn])}{curve("curve back", points[turn - 1:])}<circle id="mark" r="6" cx="60" cy="220"/></svg>', points)

    def page(self):
        """HTML and script of both pictures."""
        picture, points = self.chart()
        data = json.dumps({**self.numbers, "points": points}).replace("</", "<\\/")
        return f"""<h2>{escape(self.title)}</h2>
<p class="note">Every op is a node, in the order in which they were made. The backward pass goes from the newest to the oldest, runs each closure once, and then lets go of its gradient and of what it kept.</p>
<div class="controls"><button id="play">Play</button><button id="back">Back</button><button id="next">Next</button>
<input id="at" type="range" min="0" max="{len(self.steps) - 1}" value="0" aria-label="step"></div>
<p id="said" aria-live="polite"></p>
<h3>Memory</h3>
{scroll("Memory", picture)}<h3>Graph</h3>
{scroll("Graph", f'<div class="graph">{self.edges()}{self.node_table()}</div>')}""", f"const story = {data};\n{pages.script('graph.js')}"


# ---- tensors of a check

def tensors(lab, program, seed, name):
    """Of the check with this name, else of the first one that does not pass, else of the first: that compares any."""
    verdicts = [run_check(program, check, seed, more=("--tensors",)) for check in ([lab.check(name)] if name else lab.judged)]
    compares = sorted((v for v in verdicts if v.tensors), key=lambda v: v.passed)
    if not compares:
        raise LabError(f"{name or f'no check of lab {lab.number}'} compares tensors here; labs/heed-lab test {lab.number} says what it found")
    title = f"heck {compares[0].check.name}, seed {seed}: {compares[0].status}"
    rows = sorted(compares[0].tensors, key=lambda row: row["wrong"] == 0)
    for row in rows:
        row["name"] = f"{row['tensor']} {row['shape']}"
        row["said"] = f"{row['wrong']} of {row['numel']} elements differ" if row["wrong"] else "no element differs"
    return "\n".join([f"c{title}", *(f"  {row['name']}: {row['said']}" for row in rows)]), (
        f'<h2>C{escape(title)}</h2>\n<p class="note">The larger a number, the stronger its colour: blue if it is positive, '
        'orange if it is negative. What differs has a frame and a ×.</p>\n' + "".join(map(side_by_side, rows))), ""


def side_by_side(row):
    (rows, cols), (top, left), shown = row["all"], row["first"], len(row["want"]) // row["cols"]
    window = "" if (shown, row["cols"]) == (rows, cols) else (
        f" Shown are rows {top} to {top + shown - 1} of {rows} and columns {left} to {left + row['cols'] - 1} of {cols}.")
    pair = cells(row, row["want"], "expected", [False] * len(row["want"])) + cells(row, row["got"], "yours", row["is_wrong"])
    return f"<p><b>{escape(row['name'])}</b>: {row['said']}.{window}</p>\n" + scroll(row["tensor"], f'<div class="side">{pair}</div>')


def cells(row, values, caption, marks):
    (top, left), cols = row["first"], row["cols"]
    most = max((abs(v) for v in map(float, row["want"]) if math.isfinite(v)), default=0) or 1

    def cell(text, wrong):
        value = float(text)
        kinds = " ".join(["heat"] + ["minus"] * (value < 0) + ["wrong"] * wrong)
        heat = min(1, abs(value) / most) if math.isfinite(value) else 0
        return f'<td class="{kinds}" style="--heat:{heat:.2f}">{"× " * wrong}{escape(text.replace("-", "−"))}</td>'
    head = "".join(f'<th scope="col">{left + i}</th>' for i in range(cols))
    lines = [f'<tr><th scope="row">{top + at // cols}</th>' + "".join(map(cell, values[at:at + cols], marks[at:at + cols])) + "</tr>"
             for at in range(0, len(values), cols)]
    return f'<table class="cells"><caption>{caption}</caption><tr><td></td>{head}</tr>\n' + "\n".join(lines) + "</table>\n"


# ---- what a warp asks of the memory

def accesses(numbers):
    said, parts = [], ["<h2>What the first warp asks of the memory</h2>\n<p class=\"note\">A box is a sector of 32 bytes of global memory, with the number "
                       "of lanes that use it, or a bank of shared memory, with the number of different words that lanes want of it: more than one, and they wait.</p>\n"]
    for kernel in numbers["kernels"]:
        groups = [list(group) for _, group in groupby(kernel["accesses"], key=lambda row: (row["does"], boxes(row)))]
        rows = [(group[0], f"{len(group)} ×" if len(group) > 1 else "") for group in groups]  # of those that look the same the first
        said += [kernel["name"] + (f": stopped, {kernel['stopped']}" if kernel["stopped"] else ""),
                 *(f"  {times:>3} {row['does']:<16} {len(lanes(row)):>2} lanes  {cost(row)}" for row, times in rows)]
        parts.append(f"<h3>{escape(kernel['name'])}</h3>\n")
        if kernel["stopped"]:
            parts.append(f"<p>It was stopped: {escape(kernel['stopped'])}</p>\n")
        if rows:
            parts.append(scroll(kernel["name"], table(("access", "lanes", "cost", "sectors, or banks", "lane→element"), (
                (" class=over" if is_over(row) else "", [f"{times} {escape(row['does'])}", len(lanes(row)), cost(row), boxes(row),
                 f'<details class="lanes"><summary>show</summary>{" ".join(lanes(row))}</details>']) for row, times in rows), "access")))
    return "\n".join(said), "".join(parts), ""


def lanes(row):
    return [f"{lane}→{at // FLOAT}" for lane, at in enumerate(row["bytes"]) if at >= 0]


def cost(row):
    if row["shared"]:
        return f"{row['cost'] or 'no'} conflict{'s' * (row['cost'] > 0)} of banks"
    return f"{row['cost']} sectors" + (f", {row['least']} would do" if is_over(row) else "")


def is_over(row):
    """A row that begins within a sector touches one more."""
    return row["cost"] > row["least"] + (not row["shared"])


def boxes(row):
    used = [at for at in row["bytes"] if at >= 0]
    if row["shared"]:
        words = Counter(at // FLOAT % BANKS for at in set(used))
        return "".join(f'<span class="box {"waits" if words[bank] > 1 else "" if words[bank] else "none"}">{words[bank] or "·"}</span>'
                       for bank in range(BANKS))
    sectors = Counter(at // SECTOR for at in used)
    return "".join(('<span class="gap"></span>' if sector - 1 not in sectors and sector > min(sectors) else "") + f'<span class="box">{sectors[sector]}</span>'
                   for sector in sorted(sectors))


# ---- speed beside what the machine can do

def roofline(bench, program, seed):
    row = numbers_of(program, "--figure", seed)
    if not row["facts"]:
        raise LabError(f"lab {bench.lab.number} has no roofline")
    peak, bandwidth = row["facts"]["GFLOP/s of the processor"], row["facts"]["GB/s of the memory"]
    lines = {name: line for name, line in row["lines"].items() if name != "roof"}
    lines |= {name.replace("yours", "heed"): line for name, line in heeds(bench, seed).items() if name.startswith("yours")}
    lines = dict(sorted(lines.items(), key=lambda line: line[0] == "Eigen"))
    roof = [min(peak, bandwidth * x) for x in row["values"]]
    said = ", ".join(f"{value:.1f} {name}" for name, value in row["facts"].items())
    heads = [f"{mark} {escape(name)}" for mark, name in zip(MARKS, lines)]
    rows = [[f"{x:g}", f"{top:.1f}", *(f"{line[i]:.1f} ({line[i] / top:.0%})" for line in lines.values())] for i, (x, top) in enumerate(zip(row["values"], roof))]
    names = ["op/byte", "roof", *lines]
    text = "\n".join([f"{row['title']}: {said}"] + [
        "  ".join(f"{cell:>{max(12, len(name))}}" for cell, name in zip(cells, names)) for cells in [names, *rows]])
    return text, (f"<h2>{escape(row['title'])}</h2>\n<p>Measured here: {said}. The roof is what the memory brings, then what the processor multiplies; "
                  f"both scales are logarithms.</p>\n" + scroll("Roofline", chart(row["values"], peak, bandwidth, lines.values(), ", ".join(heads))) +
                  scroll("GFLOP/s, and share of the roof", table(("operations for each byte", "roof", *heads), (("", row) for row in rows), "roof"))), ""


def heeds(bench, seed):
    """The same numbers of the project's version, where this clone began the lab and has it."""
    try:
        texts = bench.course.reference(bench.lab)
    except LabError:
        return {}
    folder = bench.out.with_name(bench.out.name + "-heed")
    return numbers_of(bench.build.program(bench.lab, folder, write_overlay(folder / "src", texts)), "--figure", seed)["lines"]


def chart(values, peak, bandwidth, lines, said):
    """Marks for the lines' points, below the roof."""
    low, high, ridge = min(*map(min, lines), bandwidth * values[0]) / 1.5, 1.6 * peak, peak / bandwidth

    def at(x, y):
        along = math.log(x / values[0]) / math.log(values[-1] / values[0])
        return 60 + 620 * along, 300 - 270 * math.log(y / low) / math.log(high / low)

    def word(x, y, text, kind='text-anchor="middle"'):
        return f'<text x="{x:.1f}" y="{y:.1f}" {kind}>{text}</text>'
    ends = [values[0], *([ridge] if values[0] < ridge < values[-1] else []), values[-1]]
    parts = [curve("roof-line", [at(x, min(peak, bandwidth * x)) for x in ends]), axis(60, 300, 680, 300),
             word(370, 334, "operations for each byte"), word(8, 14, "GFLOP/s", ""), word(370, 14, said)]
    parts += [word(at(x, low)[0], 316, f"{x:g}") for x in values]
    for tick in (step * 10.0 ** power for power in range(-2, 6) for step in (1, 2, 5)):
        y = at(values[0], tick)[1]
        parts += [axis(60, y, 680, y), word(52, y + 4, f"{tick:g}", 'text-anchor="end"')] if low <= tick <= high else []
    for mark, line in zip(MARKS, lines):
        parts += [word(at(x, y)[0], at(x, y)[1] + 5, mark, 'class="symbol"') for x, y in zip(values, line)]
    return f'<svg viewBox="0 0 720 342" role="img" aria-label="GFLOP/s over operations for each byte, below the roof: {said}">{"".join(parts)}</svg>'
