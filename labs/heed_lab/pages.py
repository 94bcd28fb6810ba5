"""Pages of HTML, each one file that needs no network: what a student gets back, and the slides of a talk."""
import html
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def script(name):
    return (ROOT / "labs/heed_lab" / name).read_text(encoding="utf-8")


def page(title, body, script=""):
    """One file that loads nothing, with the style sheet and the script of all of heed's pages."""
    style, common = ((ROOT / name).read_text(encoding="utf-8") for name in ("dialog/text/page.css", "experiments/engine/report/page.js"))
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)}</title>
<style>{style}</style>
</head>
<body class="lab">
<main>
{body}
</main>
<script>{common}{script}</script>
</body></html>
"""


def scroll(label, body):
    """A box that scrolls sideways, by keys too."""
    return f'<div class="scroll" tabindex="0" role="region" aria-label="{html.escape(label)}">{body}</div>\n'


def table(heads, rows, kind=""):
    """A row is (its attributes, its cells), all of it HTML."""
    head = "".join(f'<th scope="col">{head}</th>' if head else "<td></td>" for head in heads)
    body = "\n".join(f"<tr{attributes}>" + "".join(f"<td>{cell}</td>" for cell in cells) + "</tr>" for attributes, cells in rows)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n</tbody></table>'


def axis(x1, y1, x2, y2):
    return f'<line class="axis" x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}"/>'


def curve(kind, points):
    return f'<polyline class="{kind}" points="{" ".join("%.1f,%.1f" % point for point in points)}"/>'


def result_page(result):
    """Points, notes, and each failure as the terminal shows it."""
    lab, esc = result.lab, html.escape
    rows = [("", ["+" if r["score"] else "-", esc(r["name"]), f"{r['score']} of {r['max_score']}"]) for r in result.rows]
    failures = "\n".join(f"<h3>{esc(r['name'])}</h3>\n<pre>{esc(result.shown(r))}</pre>" for r in result.rows if not r["score"])
    notes = "\n".join(f"<li>{esc(note)}</li>" for note in result.notes)
    by_hand = ", ".join(f"{esc(name)} ___ of {most}" for name, most in lab.by_hand.items())
    answers = f"<h2>By hand: {by_hand}</h2>\n<pre>{esc(result.answers)}</pre>\n" if result.answers else ""
    body = (f"<h1>Lab {lab.number}: {esc(lab.title)}</h1>\n<p>{esc(result.student)}: <b>{result.score} points</b>; by hand: {esc(lab.said_by_hand)}</p>\n"
            f"{scroll('Points', table(('', 'check', 'points'), rows))}<ul>{notes}</ul>\n{failures}{answers}")
    return page(f"Lab {lab.number}, {result.student}", body)


def blocks(text):
    """HTML of the Markdown that talk.md has: paragraphs, lists, code that is indented by four, and code between backquotes."""
    found = []
    for block in re.split(r"\n(?:[ ]*\n)+", html.escape(text)):
        if block.startswith("    "):
            found.append("<pre>" + re.sub("^    ", "", block, flags=re.M) + "</pre>")
        else:
            words, *items = (" ".join(part.split()) for part in re.split("^- ", block, flags=re.M))
            found += [f"<p>{words}</p>"] * bool(words) + ["<ul>" + "\n".join(f"<li>{item}</li>" for item in items) + "</ul>"] * bool(items)
    return re.sub("`([^`]*)`", r"<code>\1</code>", "\n".join(found)).replace("</pre>\n<pre>", "\n")


def talk_page(text):
    """The slides of a talk.md: its title, and each of its sections."""
    parts = re.split(r"^(#{1,2}) (.*)$", text, flags=re.M)[1:]
    slides = [f'<section class="slide"><h{len(mark)}>{html.escape(title)}</h{len(mark)}>\n{blocks(body.strip())}</section>'
              for mark, title, body in zip(parts[0::3], parts[1::3], parts[2::3])]
    return page(parts[1], "\n".join(slides), script("slides.js"))
