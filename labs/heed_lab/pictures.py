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
from .build import write_files
from .pages import scroll, table
from .running import run_check

ROW = 34  # pixels of a row of the table of a graph, as page.css has it
FLOAT, SECTOR, BANKS = 4, 32, 32  # bytes, bytes, words side by side
SECONDS = 180
MARKS = "●○◆◇▲■"  # of the lines of a roofline, in their order
WHAT = ("graph", "memory", "access", "tensor", "roofline")


def numbers_of(program, what, seed):
    """What the program prints for a picture."""
    try:
        done = subprocess.run([str(program), what, f"--seed={seed}"], capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise LabError(f"there is no picture yet: it did not end within {SECONDS} s") from None
    if done.returncode != 0:
        raise LabError(f"there is no picture yet: {done.stderr.strip() or f'it ended with status {done.returncode}'}")
    print(done.stderr, end="")  # what the lab says beside its picture
    try:
        row = json.loads(done.stdout)
    except ValueError:
        raise LabError(f"there is no picture: does your code print? Among the numbers stands {done.stdout.strip()[:60]!r}") from None
    values = [y for line in row.get("lines", {}).values() for y in line]
    if values and (None in values or max(values) <= 0):  # null is NaN or infinity
        raise LabError("there is no picture yet: some of its numbers are NaN or infinite, or none is above 0")
    return row


def figure(root, program, seed):
    """SVG of the figure, by the module that draws those of the benchmarks."""
    row = numbers_of(program, "--figure", seed)
    return runpy.run_path(str(root / "bench/svg.py"))["curves"](row["title"], row["x"], row["y"], row["values"], row["lines"])


def part(bench, what, seed, check=None):
    """One picture of `show`."""
    if what == "tensor":
        return tensors(bench.lab, bench.program(), seed, check)
    if what == "roofline":
        return roofline(bench, bench.program(), seed)
    numbers = numbers_of(bench.program(), "--show", seed) if (bench.lab.folder / "show.cc").exists() else {}
    if ("kernels" if what == "access" else "nodes") not in numbers:
        raise LabError(f"lab {bench.lab.number} has no {what}")
    return accesses(numbers) if what == "access" else getattr(Story(numbers), what)()


def page(lab, parts, how):
    """parts: {HTML: script}; how: what was typed."""
    title = f"Lab {lab.number}: {lab.title}"
    footer = f"<footer>labs/heed-lab show {lab.number} {escape(how)}, with the code of this tree.</footer>"
    return pages.page(title, f"<h1>{escape(title)}</h1>\n{''.join(parts)}{footer}", "".join(parts.values()))


def below_each_other(rows):
    """Lines of text, in columns."""
    widths = [max(map(len, column)) for column in zip(*rows)]
    return ["  ".join(cell.rjust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]


def mib(count):
    return f"{count / (1 << 20):.2f}"


class Story:
    """The graph of an example as it was recorded, and its backward pass node by node, with the memory in use."""

    def __init__(self, numbers):
        self.numbers, self.nodes, self.steps = numbers, numbers["nodes"], numbers["steps"]
        self.most = max(step["bytes"] for step in self.steps) or 1
        recorded = {step["number"]: mib(step["bytes"]) for step in self.steps if step["forward"]}
        backward = enumerate((step for step in self.steps if not step["forward"]), 1)
        ran = {step["number"]: (str(i), mib(step["bytes"]), mib(step["freed"])) for i, step in backward}
        # Of each node: number, op, value, shape, what it reads, MiB when it was recorded ("" for an op within another), when its closure
        # ran, MiB then, MiB that were let go.
        self.cells = [[str(node["number"]), node["op"], node["name"], node["shape"], ", ".join(map(str, node["inputs"])),
                       recorded.get(node["number"], ""), *ran.get(node["number"], ("", "", ""))] for node in self.nodes]

    def graph(self):
        """The terminal shows the graph from its first node on."""
        heads = ["node", "op", "value", "shape", "reads", "recorded", "backward", "after", "let go"]
        lines = below_each_other([heads, *self.cells])
        return "\n".join([f"{self.numbers['title']}: {len(self.nodes)} nodes; memory in MiB", *lines]), *self.page()

    def memory(self):
        """The terminal shows the bytes in use after each step."""
        ops = {node["number"]: node["op"] for node in self.nodes}
        rows = [["recorded" if step["forward"] else "backward", str(step["number"]), ops[step["number"]], mib(step["bytes"]),
                 f"MiB {'#' * round(40 * step['bytes'] / self.most):40}"] for step in self.steps]
        return "\n".join(below_each_other(rows)), *self.page()

    def page(self):
        """HTML and script of both: the memory, the arcs from what reads to what it reads, in a column left of the table, and the table."""
        at = {node["number"]: ROW * i + ROW * 1.5 for i, node in enumerate(self.nodes)}
        arcs, height = [], ROW * (len(at) + 1)
        for node, source in ((node["number"], source) for node in self.nodes for source in node["inputs"] if source in at):
            y0, y1 = at[node], at[source]
            out = 100 - min(92, 12 + (y0 - y1) / 4)
            arcs.append(f'<path class="edge" data-number="{node}" d="M100,{y0} C{out:.0f},{y0} {out:.0f},{y1} 100,{y1}"/>')

        def bar(kind, text):
            return f'<span class="bar {kind}" style="width:{6 * float(text) * (1 << 20) / self.most:.2f}rem"></span>{text}' if text else ""
        rows = [(f' data-number="{cells[0]}"', [*map(escape, cells[:5]), bar("there", cells[5]), cells[6], bar("back", cells[7]), cells[8]])
                for cells in self.cells]
        heads = ("node", "op", "value", "shape", "reads", "MiB, recorded", "backward", "MiB after", "let go, MiB")
        points = [(60 + 640 * i / max(1, len(self.steps) - 1), 220 - 190 * step["bytes"] / self.most) for i, step in enumerate(self.steps)]
        graph = (f'<div class="graph"><svg width="104" height="{height}" viewBox="0 0 104 {height}" aria-hidden="true">{"".join(arcs)}</svg>'
                 f'{table(heads, rows)}</div>')
        html = pages.filled("graph.html", title=escape(self.numbers["title"]), last=len(self.steps) - 1,
                            memory=scroll("Memory", self.memory_chart(points)), graph=scroll("Graph", graph))
        data = json.dumps({**self.numbers, "points": points}).replace("</", "<\\/")
        return html, f"const story = {data};\n{pages.read('graph.js')}"

    def memory_chart(self, points):
        """The memory over the steps."""
        turn = sum(step["forward"] for step in self.steps)
        middle, most = points[turn - 1][0], mib(self.most)
        parts = [axis(60, 220, 700, 220), axis(middle, 20, middle, 220), curve("curve there", points[:turn]), curve("curve back", points[turn - 1:]),
                 word(52, 34, most, "end"), word(52, 224, "0 MiB", "end"), word(middle - 8, 240, "recording", "end"),
                 word(middle + 8, 240, "backward (dashed)"), '<circle id="mark" r="6" cx="60" cy="220"/>']
        return svg(250, f"Memory in use over the steps, at most {most} MiB", parts)


def svg(height, label, parts):
    return f'<svg viewBox="0 0 720 {height}" role="img" aria-label="{label}">{"".join(parts)}</svg>'


def axis(x1, y1, x2, y2):
    return f'<line class="axis" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def curve(kind, points):
    return f'<polyline class="{kind}" points="{" ".join("%.1f,%.1f" % point for point in points)}"/>'


def word(x, y, text, anchor="start", kind="note"):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" class="{kind}">{text}</text>'


# ---- tensors of a check

def tensors(lab, program, seed, name):
    """Of the check with this name, else of the first one that does not pass, else of the first: that compares any."""
    verdicts = [run_check(program, check, seed, more=("--tensors",)) for check in ([lab.check(name)] if name else lab.judged)]
    found = min((verdict for verdict in verdicts if verdict.tensors), key=lambda verdict: verdict.passed, default=None)
    if not found:
        raise LabError(f"{name or f'no check of lab {lab.number}'} compares tensors here; labs/heed-lab test {lab.number} says what it found")
    title, said, pairs = f"heck {found.check.name}, seed {seed}: {found.status}", [], []
    for row in sorted(found.tensors, key=lambda row: row["wrong"] == 0):
        about = f"{row['wrong']} of {row['numel']} elements differ" if row["wrong"] else "no element differs"
        (rows, cols), (top, left), shown = row["all"], row["first"], len(row["want"]) // row["cols"]
        window = "" if (shown, row["cols"]) == (rows, cols) else (
            f" Shown are rows {top} to {top + shown - 1} of {rows} and columns {left} to {left + row['cols'] - 1} of {cols}.")
        pair = cells(row, row["want"], "expected", [False] * len(row["want"])) + cells(row, row["got"], "yours", row["is_wrong"])
        said.append(f"  {row['tensor']} {row['shape']}: {about}")
        pairs.append(f"<p><b>{escape(row['tensor'])} {row['shape']}</b>: {about}.{window}</p>\n" + scroll(row["tensor"], f'<div class="side">{pair}</div>'))
    return "\n".join([f"c{title}", *said]), "".join([
        f'<h2>C{escape(title)}</h2>\n<p class="note">The larger a number, the stronger its colour: blue if it is positive, '
        "orange if it is negative. What differs has a frame and a ×.</p>\n", *pairs]), ""


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
    said, parts = [], ['<h2>What the first warp asks of the memory</h2>\n<p class="note">A box is a sector of 32 bytes of global memory, with the number '
                       "of lanes that use it, or a bank of shared memory, with the number of different words that lanes want of it: more than one, and they wait.</p>\n"]
    for kernel in numbers["kernels"]:
        said.append(kernel["name"] + (f": stopped, {kernel['stopped']}" if kernel["stopped"] else ""))
        parts.append(f"<h3>{escape(kernel['name'])}</h3>\n" + (f"<p>It was stopped: {escape(kernel['stopped'])}</p>\n" if kernel["stopped"] else ""))
        rows = []
        for (_, shown), group in groupby(kernel["accesses"], key=lambda row: (row["does"], boxes(row))):
            row, count = (group := list(group))[0], len(group)  # of those that look the same the first
            times, used = f"{count} ×" if count > 1 else "", lanes(row)
            said.append(f"  {times:>3} {row['does']:<16} {len(used):>2} lanes  {cost(row)}")
            rows.append((" class=over" if is_over(row) else "", [f"{times} {escape(row['does'])}", len(used), cost(row), shown,
                         f'<details class="lanes"><summary>show</summary>{" ".join(used)}</details>']))
        if rows:
            parts.append(scroll(kernel["name"], table(("access", "lanes", "cost", "sectors, or banks", "lane→element"), rows, "access")))
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
    heed = {name.replace("yours", "heed"): line for name, line in heeds(bench, seed).items() if name.startswith("yours")}
    lines = {name: line for name, line in row["lines"].items() if name not in ("roof", "Eigen")} | heed
    lines |= {name: line for name, line in row["lines"].items() if name == "Eigen"}
    said = ", ".join(f"{value:.1f} {name}" for name, value in row["facts"].items())
    heads = ["operations for each byte", "roof", *(f"{mark} {name}" for mark, name in zip(MARKS, lines))]
    tops = [min(peak, bandwidth * x) for x in row["values"]]
    rows = [[f"{x:g}", f"{top:.1f}", *(f"{y:.1f} ({y / top:.0%})" for y in ys)] for x, top, *ys in zip(row["values"], tops, *lines.values())]
    return "\n".join([f"{row['title']}: {said}", *below_each_other([heads, *rows])]), (
        f"<h2>{escape(row['title'])}</h2>\n<p>Measured here: {said}. The roof is what the memory brings, then what the processor multiplies; "
        "both scales are logarithms.</p>\n" + scroll("Roofline", roof_chart(row["values"], peak, bandwidth, lines.values(), ", ".join(heads[2:]))) +
        scroll("GFLOP/s, and share of the roof", table(map(escape, heads), (("", row) for row in rows), "roof"))), ""


def heeds(bench, seed):
    """The same numbers of the project's version, where this clone began the lab and has it."""
    try:
        texts = bench.course.reference(bench.lab)
    except LabError:
        return {}
    folder = bench.out.with_name(bench.out.name + "-heed")
    return numbers_of(bench.build.program(bench.lab, folder, write_files(folder / "src", texts, alone=True)), "--figure", seed)["lines"]


def roof_chart(values, peak, bandwidth, lines, said):
    """Marks for the lines' points, below the roof; both scales are logarithms."""
    low, high = min(*map(min, lines), bandwidth * values[0]) / 1.5, 1.6 * peak

    def at(x, y):
        return 60 + 620 * math.log(x / values[0]) / math.log(values[-1] / values[0]), 300 - 270 * math.log(y / low) / math.log(high / low)
    ends = sorted({values[0], min(max(peak / bandwidth, values[0]), values[-1]), values[-1]})
    parts = [curve("roof-line", [at(x, min(peak, bandwidth * x)) for x in ends]), axis(60, 300, 680, 300), word(8, 14, "GFLOP/s"),
             word(370, 14, escape(said), "middle"), word(370, 334, "operations for each byte", "middle")]
    parts += [word(at(x, low)[0], 316, f"{x:g}", "middle") for x in values]
    for tick in (step * 10.0 ** power for power in range(-2, 6) for step in (1, 2, 5)):
        if low <= tick <= high:
            y = at(values[0], tick)[1]
            parts += [axis(60, y, 680, y), word(52, y + 4, f"{tick:g}", "end")]
    points = [(mark, at(x, y)) for mark, line in zip(MARKS, lines) for x, y in zip(values, line)]
    parts += [word(x, y + 5, mark, "middle", "symbol") for mark, (x, y) in points]
    return svg(342, f"GFLOP/s over operations for each byte, below the roof: {escape(said)}", parts)
