"""Two kinds of pictures as SVG text: stacked bars and curves."""

import math

COLOURS = ["#4477aa", "#ee6677", "#228833", "#ccbb44", "#66ccee", "#aa3377", "#bbbbbb"]


def text(x, y, words, anchor="start", extra=""):
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" {extra}>{words}</text>'


def page(width, height, parts):
    return "\n".join([f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      f'font-family="sans-serif" font-size="12">',
                      f'<rect width="{width}" height="{height}" fill="white"/>', *parts, "</svg>", ""])


def bars(title, unit, rows):
    """rows: [(label, {part: value})]; one horizontal bar each, the same parts in the same colours."""
    names = list(dict.fromkeys(name for _, parts in rows for name in parts))
    scale = 560 / max(sum(parts.values()) for _, parts in rows)
    out = [text(10, 20, title, extra='font-weight="bold"')]
    for i, (label, parts) in enumerate(rows):
        x, y = 110, 40 + 44 * i
        out.append(text(100, y + 20, label, "end"))
        for name in names:
            width = parts.get(name, 0) * scale
            out.append(f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="30" '
                       f'fill="{COLOURS[names.index(name)]}"/>')
            x += width
        out.append(text(x + 6, y + 20, f"{sum(parts.values()):.2f} {unit}"))
    y = 60 + 44 * len(rows)
    for i, name in enumerate(names):
        out.append(f'<rect x="{110 + i % 3 * 200}" y="{y + i // 3 * 20 - 10}" width="12" height="12" '
                   f'fill="{COLOURS[i]}"/>')
        out.append(text(128 + i % 3 * 200, y + i // 3 * 20, name))
    return page(740, y + 20 * ((len(names) + 2) // 3), out)


def ticks(largest):
    """0 to at least `largest` in four to seven steps of 1, 2 or 5 times a power of ten."""
    power = 10 ** math.floor(math.log10(largest))
    step = next(s * power for s in (0.2, 0.5, 1, 2) if largest <= 7 * s * power)
    return [step * i for i in range(math.ceil(largest / step) + 1)]


def curves(title, x_label, y_label, x_values, lines):
    """lines: {label: [y]}; the x values stand at equal distances."""
    steps = ticks(max(max(line) for line in lines.values()))
    at = lambda i, value: (70 + i * 440 / max(1, len(x_values) - 1), 270 - 210 * value / steps[-1])
    out = [text(10, 20, title, extra='font-weight="bold"'), text(290, 312, x_label, "middle"),
           text(10, 38, y_label)]
    for i in range(0, len(x_values), math.ceil(len(x_values) / 12)):  # more do not fit
        value = int(x_values[i]) if x_values[i] == int(x_values[i]) else x_values[i]
        out.append(text(at(i, 0)[0], 290, f"{value:,}", "middle"))
    for step in steps:
        y = at(0, step)[1]
        out.append(f'<line x1="70" x2="510" y1="{y:.1f}" y2="{y:.1f}" stroke="#dddddd"/>')
        out.append(text(64, y + 4, f"{step:g}", "end"))
    below = 0  # labels stand at the ends of their lines, but not on each other
    ends = {}
    for label, line in sorted(lines.items(), key=lambda item: -item[1][-1]):
        ends[label] = below = max(at(0, line[-1])[1] + 4, below + 13)
    for k, (label, line) in enumerate(lines.items()):
        points = " ".join("%.1f,%.1f" % at(i, value) for i, value in enumerate(line))
        out.append(f'<polyline points="{points}" fill="none" stroke="{COLOURS[k]}" stroke-width="2"/>')
        out.append(text(520, ends[label], label, extra=f'fill="{COLOURS[k]}"'))
    return page(740, 324, out)
