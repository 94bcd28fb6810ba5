"""Writes a file for each kind of dual encoder: vectors, losses and gradients in float64, computed text by
text with NumPy, without the framework of heed or of anybody else. tests/dialog/retrieve/dual_encoder_test.cc
compares.

    python3 make_retrieval.py OUT_DIR

Every function here is analytic, so that a derivative is exact: Im f(p + ih) / h with h = 1e-30 (Squire
& Trapp 1998). "parameters.NAME" by heed's names, "gradients.NAME" of the sum of the losses' means:
"softmax" (negatives of the batch and two more, smoothing 0.1) and "hinge" (the two alone, margin 0.25).
"attention": of each context the mean over heads of the weights that pool it, one context after the other.
"""
import sys
from pathlib import Path

import numpy as np

import package  # noqa: F401
import heed

WORDS, E, H, KEYS, HEADS, BUCKETS, EOU = 13, 5, 4, 3, 3, 11, 4
CONTEXTS = [[5, 6, 7, EOU, 8, EOU, 9, 10, EOU], [11, EOU], [12, 5, EOU, 7, 7, 6, 5, EOU]]
RESPONSES = [[6, 8, EOU], [9, EOU], [5, 12, 10, 11, EOU], [9, EOU], [7, 10, EOU]]  # two are shared; one is a right one
CASES = {  # encoder, layers, score, pool, directions, towers
    "lstm": ("lstm", 1, "cosine", "attention", 2, 1),
    "last": ("lstm", 2, "bilinear", "last", 1, 2),
    "sru": ("sru", 2, "dot", "attention", 2, 2),
    "hierarchical": ("hierarchical", 1, "cosine", "attention", 2, 2),
    "bag": ("bag", 1, "cosine", "attention", 2, 1),
    "weighted-bag": ("weighted-bag", 1, "cosine", "attention", 2, 1),
}


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def lstm(p, name, x, layers, directions):
    """x (n, in) -> states of the top layer (n, directions H), and the last ones of each direction."""
    for layer in range(layers):
        outputs = []
        for suffix in ["", "_reverse"][:directions]:
            w, u, b = (p[f"{name}.{part}_l{layer}{suffix}"] for part in ("weight_ih", "weight_hh", "bias"))
            h, c, states = np.zeros(H, complex), np.zeros(H, complex), []
            for row in (x[::-1] if suffix else x):
                i, f, g, o = np.split(w @ row + u @ h + b, 4)
                c = sigmoid(f) * c + sigmoid(i) * np.tanh(g)
                h = sigmoid(o) * np.tanh(c)
                states.append(h)
            outputs.append((states[::-1] if suffix else states, h))
        x = np.concatenate([np.array(states) for states, _ in outputs], axis=1)
    return x, np.concatenate([h for _, h in outputs])


def sru(p, name, x, layers):
    for layer in range(layers):
        outputs = []
        for d, suffix in enumerate(["", "_reverse"]):
            q = {key: p.get(f"{name}.{layer}.{key}{suffix}") for key in
                 ("weight", "weight_f", "weight_r", "weight_x", "v_f", "v_r", "bias_f", "bias_r")}
            c, states = np.zeros(H, complex), []
            for row in (x[::-1] if suffix else x):
                f = sigmoid(q["weight_f"] @ row + q["v_f"] * c + q["bias_f"])
                r = sigmoid(q["weight_r"] @ row + q["v_r"] * c + q["bias_r"])
                c = f * c + (1 - f) * (q["weight"] @ row)
                skip = row[d * H:(d + 1) * H] if q["weight_x"] is None else q["weight_x"] @ row
                states.append(r * c + (1 - r) * skip)
            outputs.append(np.array(states[::-1] if suffix else states))
        x = np.concatenate(outputs, axis=1)
    return x


def pooled(p, name, h):
    """The pooled vector, a head at a time as the paper has it, and the mean weights."""
    keys = np.tanh(h @ p[name + ".project.weight"].T)
    heads = [np.exp(keys @ query) for query in p[name + ".queries.weight"]]
    weights = [e / e.sum() for e in heads]
    return sum(a @ h for a in weights) / len(weights), sum(weights) / len(weights)


def recurrent(p, name, kind, x):
    _, layers, _, pool, directions, _ = kind
    if kind[0] == "lstm":
        h, last = lstm(p, name + ".lstm", x, layers, directions)
        if pool == "last":
            return last, None
    else:
        h = sru(p, name + ".sru", x, layers)
    return pooled(p, name + ".pooling", h)


def utterances(text):
    ends = [i + 1 for i, token in enumerate(text) if token == EOU]
    return [text[begin:end] for begin, end in zip([0] + ends, ends)]


def encode(p, kind, side, text):
    """f of a text, and the weights of the rows that are pooled last (none of a bag)."""
    tower = "tower" if kind[5] == 1 else side
    table = p["embedding.weight"]
    if kind[0] == "bag":
        rows = []
        for utterance in utterances(text):
            words = utterance[:-1]
            rows += words
            for a, b in zip(words, words[1:]):
                mixed = (a * 2654435761 + b) % 2**32
                rows.append(WORDS + (mixed ^ (mixed >> 16)) % BUCKETS)
        total = table[rows].sum(axis=0) / np.sqrt(len(rows))
        return p[tower + ".dense.weight"] @ np.tanh(total) + p[tower + ".dense.bias"], None
    if kind[0] == "weighted-bag":
        mean, weights = pooled(p, tower + ".pooling", table[text])
        total = mean * np.sqrt(len(text))
        return p[tower + ".dense.weight"] @ np.tanh(total) + p[tower + ".dense.bias"], weights
    if kind[0] == "hierarchical" and side == "context":
        turns = np.array([recurrent(p, tower + ".words", kind, table[u])[0] for u in utterances(text)])
        return recurrent(p, tower + ".utterances", kind, turns)
    return recurrent(p, tower + ".words", kind, table[text])


def unit(x):
    return x / np.sqrt((x * x).sum())


def losses(p, kind):
    c = [encode(p, kind, "context", text)[0] for text in CONTEXTS]
    r = [encode(p, kind, "response", text)[0] for text in RESPONSES]
    if kind[2] == "cosine":
        c, r = [unit(x) * p["scale"][0] for x in c], [unit(x) for x in r]
    if kind[2] == "bilinear":
        c = [p["bilinear.weight"] @ x for x in c]
    softmax, hinge = [], []
    for i, x in enumerate(c):
        score = [x @ y for y in r]
        allowed = [k for k in range(len(r)) if k == i or RESPONSES[k] != RESPONSES[i]]
        log_sum = np.log(sum(np.exp(score[k]) for k in allowed))
        log_p = {k: score[k] - log_sum for k in allowed}
        softmax.append(-0.9 * log_p[i] - 0.1 * sum(log_p.values()) / len(allowed))
        margins = [0.25 - score[i] + score[k] for k in allowed if k >= len(CONTEXTS)]
        hinge.append(sum((m for m in margins if m.real > 0), 0j))
    return np.array(c), np.array(r), np.array(softmax), np.array(hinge)


def shapes(kind):
    encoder, layers, score, pool, directions, towers = kind
    width = directions * H
    result = {"embedding.weight": (WORDS + (BUCKETS if encoder == "bag" else 0), E)}

    def add_recurrent(name, size):
        for layer in range(layers):
            for suffix in ["", "_reverse"][:directions]:
                if encoder == "lstm":
                    result[f"{name}.lstm.weight_ih_l{layer}{suffix}"] = (4 * H, size)
                    result[f"{name}.lstm.weight_hh_l{layer}{suffix}"] = (4 * H, H)
                    result[f"{name}.lstm.bias_l{layer}{suffix}"] = (4 * H,)
                    continue
                for key in ["", "_f", "_r"] + ([] if size == 2 * H else ["_x"]):
                    result[f"{name}.sru.{layer}.weight{key}{suffix}"] = (H, size)
                for key in ["v_f", "v_r", "bias_f", "bias_r"]:
                    result[f"{name}.sru.{layer}.{key}{suffix}"] = (H,)
            size = width
        if pool == "attention":
            result[name + ".pooling.project.weight"] = (KEYS, width)
            result[name + ".pooling.queries.weight"] = (HEADS, KEYS)

    for tower in ["tower"] if towers == 1 else ["context", "response"]:
        if encoder == "weighted-bag":
            result[tower + ".pooling.project.weight"] = (KEYS, E)
            result[tower + ".pooling.queries.weight"] = (HEADS, KEYS)
        if encoder.endswith("bag"):
            result[tower + ".dense.weight"], result[tower + ".dense.bias"] = (H, E), (H,)
        else:
            add_recurrent(tower + ".words", E)
    if encoder == "hierarchical":
        add_recurrent("context.utterances", width)
    if score == "cosine":
        result["scale"] = (1,)
    if score == "bilinear":
        result["bilinear.weight"] = (width, width)
    return result


def make(kind, random):
    p = {name: random.normal(0, 0.5, shape) for name, shape in shapes(kind).items()}
    if "scale" in p:
        p["scale"][:] = 3
    names = ["contexts", "responses", "softmax", "hinge"]
    tensors = {n: v.real.copy() for n, v in zip(names, losses({k: v.astype(complex) for k, v in p.items()}, kind))}
    weights = [encode({k: v.astype(complex) for k, v in p.items()}, kind, "context", text)[1] for text in CONTEXTS]
    if weights[0] is not None:
        tensors["attention"] = np.concatenate(weights).real.copy()
    for name, value in p.items():
        gradient = np.zeros(value.size)
        for i in range(value.size):
            moved = {k: v.astype(complex) for k, v in p.items()}
            moved[name].ravel()[i] += 1e-30j
            _, _, softmax, hinge = losses(moved, kind)
            gradient[i] = (softmax.mean() + hinge.mean()).imag / 1e-30
        tensors["parameters." + name] = value
        tensors["gradients." + name] = gradient.reshape(value.shape)
    return tensors


if __name__ == "__main__":
    for number, (name, kind) in enumerate(CASES.items()):
        tensors = make(kind, np.random.default_rng(number))
        heed.write_safetensors(str(Path(sys.argv[1]) / (name + ".safetensors")), tensors)
