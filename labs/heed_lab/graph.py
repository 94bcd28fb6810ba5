"""A part of lab.html: the graph of a lab's example as it was recorded, and its backward pass node by node, with the memory in use."""
import html
import json

from . import pages

ROW, MIB = 34, 1 << 20  # pixels of a row of the table, as page.css has it; bytes


def mib(count):
    return f"{count / MIB:.2f}"


def most_of(story):
    return max(step["bytes"] for step in story["steps"]) or 1


def rows_of(story):
    """Of each node: number, op, name, shape, what it reads, its forward step (None for an op within another), its backward step, when
    that was, and how many MiB were let go."""
    forward = {step["number"]: step for step in story["steps"] if step["forward"]}
    backward = {step["number"]: (step, i) for i, step in enumerate((step for step in story["steps"] if not step["forward"]), 1)}
    for node in story["nodes"]:
        back, when = backward.get(node["number"], (None, ""))
        yield (node["number"], node["op"], node["name"], node["shape"], ", ".join(map(str, node["inputs"])),
               forward.get(node["number"]), back, when, mib(back["freed"]) if back else "")


def graph_text(story):
    """What `show graph` prints: the graph from its first node on."""
    rows = [("node", "op", "", "shape", "reads", None, None, "backward", "let go"), *rows_of(story)]
    return "\n".join([f"{story['title']}: {len(story['nodes'])} nodes"] + [
        f"{number:>5}  {op:<10} {shape:<14} {reads:<14} {when:>8}  {freed:>8}  {name}".rstrip()
        for number, op, name, shape, reads, _, _, when, freed in rows])


def memory_text(story):
    """What `show memory` prints: the bytes in use after each step."""
    most = most_of(story)
    ops = {node["number"]: node["op"] for node in story["nodes"]}
    return "\n".join(f"{'recorded' if step['forward'] else 'backward'} {step['number']:>4} {ops[step['number']]:<10} "
                     f"{mib(step['bytes']):>8} MiB {'#' * round(40 * step['bytes'] / most)}" for step in story["steps"])


def edges(story):
    """Arcs from what reads to what it reads, in a column left of the table."""
    at = {node["number"]: ROW * i + ROW * 1.5 for i, node in enumerate(story["nodes"])}
    paths = []
    for node in story["nodes"]:
        for source in node["inputs"]:
            if source in at:
                y0, y1 = at[node["number"]], at[source]
                out = 100 - min(92, 12 + (y0 - y1) / 4)
                paths.append(f'<path class="edge" data-number="{node["number"]}" d="M100,{y0} C{out:.0f},{y0} {out:.0f},{y1} 100,{y1}"/>')
    height = ROW * (len(story["nodes"]) + 1)
    return f'<svg width="104" height="{height}" viewBox="0 0 104 {height}" aria-hidden="true">{"".join(paths)}</svg>'


def table(story):
    most = most_of(story)

    def used(step, kind):
        return f'<span class="bar {kind}" style="width:{6 * step["bytes"] / most:.2f}rem"></span>{mib(step["bytes"])}' if step else ""
    rows = [(f' data-number="{number}"', [number, html.escape(op), html.escape(name), shape, reads, used(forward, "there"), when, used(back, "back"), freed])
            for number, op, name, shape, reads, forward, back, when, freed in rows_of(story)]
    return pages.table(("node", "op", "value", "shape", "reads", "MiB, recorded", "backward", "MiB after", "let go, MiB"), rows)


def chart(story):
    """(SVG of the memory over the steps, the points of the curve)"""
    steps = story["steps"]
    most = most_of(story)
    points = [(60 + 640 * i / max(1, len(steps) - 1), 220 - 190 * step["bytes"] / most) for i, step in enumerate(steps)]
    turn = sum(step["forward"] for step in steps)

    def line(kind, part):
        return f'<polyline class="curve {kind}" points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in part)}"/>'
    middle = points[turn - 1][0]
    return (f'<svg viewBox="0 0 720 250" role="img" aria-label="Memory in use over the steps, at most {mib(most)} MiB">'
            f'<line class="axis" x1="60" x2="700" y1="220" y2="220"/><line class="axis" x1="{middle:.1f}" x2="{middle:.1f}" y1="20" y2="220"/>'
            f'<text x="52" y="34" text-anchor="end">{mib(most)}</text><text x="52" y="224" text-anchor="end">0 MiB</text>'
            f'<text x="{middle - 8:.1f}" y="240" text-anchor="end">recording</text><text x="{middle + 8:.1f}" y="240">backward (dashed)</text>'
            f'{line("there", points[:turn])}{line("back", points[turn - 1:])}<circle id="mark" r="6" cx="60" cy="220"/></svg>', points)


def part(story, what):
    """What `show graph` or `show memory` says, and HTML and script of both."""
    picture, points = chart(story)
    data = json.dumps({**story, "points": points}).replace("</", "<\\/")
    body = f"""<h2>{html.escape(story["title"])}</h2>
<p class="note">Every op is a node, in the order in which they were made. The backward pass goes from the newest to the oldest, runs each closure once, and then lets go of its gradient and of what it kept.</p>
<div class="controls"><button id="play">Play</button><button id="back">Back</button><button id="next">Next</button>
<input id="at" type="range" min="0" max="{len(story["steps"]) - 1}" value="0" aria-label="step"></div>
<p id="said" aria-live="polite"></p>
<h3>Memory</h3>
{pages.scroll("Memory", picture)}<h3>Graph</h3>
{pages.scroll("Graph", f'<div class="graph">{edges(story)}{table(story)}</div>')}"""
    return graph_text(story) if what == "graph" else memory_text(story), body, f"const story = {data};\n{pages.script('graph.js')}"
