"""A part of lab.html: the graph of a lab's example as it was recorded, and its backward pass node by node, with the memory in use."""
import json
from html import escape

from . import pages

ROW = 34  # pixels of a row of the table, as page.css has it


def mib(count):
    return f"{count / (1 << 20):.2f}"


class Story:
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

    def table(self):
        def used(step, kind):
            return f'<span class="bar {kind}" style="width:{6 * step["bytes"] / self.most:.2f}rem"></span>{mib(step["bytes"])}' if step else ""
        rows = [(f' data-number="{number}"', [number, escape(op), escape(name), shape, reads, used(forward, "there"), when, used(back, "back"), freed])
                for number, op, name, shape, reads, forward, back, when, freed in self.rows()]
        return pages.table(("node", "op", "value", "shape", "reads", "MiB, recorded", "backward", "MiB after", "let go, MiB"), rows)

    def chart(self):
        """(SVG of the memory over the steps, the points of the curve)"""
        points = [(60 + 640 * i / max(1, len(self.steps) - 1), 220 - 190 * step["bytes"] / self.most) for i, step in enumerate(self.steps)]
        turn = sum(step["forward"] for step in self.steps)
        middle, most = points[turn - 1][0], mib(self.most)
        return (f'<svg viewBox="0 0 720 250" role="img" aria-label="Memory in use over the steps, at most {most} MiB">'
                f'{pages.axis(60, 220, 700, 220)}{pages.axis(middle, 20, middle, 220)}'
                f'<text x="52" y="34" text-anchor="end">{most}</text><text x="52" y="224" text-anchor="end">0 MiB</text>'
                f'<text x="{middle - 8:.1f}" y="240" text-anchor="end">recording</text><text x="{middle + 8:.1f}" y="240">backward (dashed)</text>'
                f'{pages.curve("curve there", points[:turn])}{pages.curve("curve back", points[turn - 1:])}<circle id="mark" r="6" cx="60" cy="220"/></svg>', points)

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
{pages.scroll("Memory", picture)}<h3>Graph</h3>
{pages.scroll("Graph", f'<div class="graph">{self.edges()}{self.table()}</div>')}""", f"const story = {data};\n{pages.script('graph.js')}"
