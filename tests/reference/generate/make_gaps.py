"""Writes gaps.safetensors: a model of gaps in PyTorch, in float64, one dialogue at a time.
tests/dialog/rewrite/gap_model_test.cc compares.

    python3 make_gaps.py OUT.safetensors

"parameters.NAME" by heed's names, "logits" of the labels, "scores" of all candidates of all gaps (null last),
"loss.N" and "gradients.N.NAME" with the N hardest negatives (0: all), "steps" the losses before five steps of
SGD with the rate 0.05 and N = 2, and "after.NAME" the parameters behind them.
"""
import sys

import torch

import package  # noqa: F401
import heed

torch.set_default_dtype(torch.float64)
WORDS = "<pad> <unk> <sos> <eos> <eou> a b c d e f g h".split()
E, H, SPAN, EOU = 5, 4, 3, "<eou>"
# Context, turn, gaps: first unit, unit behind the last, what stands there in the full form.
DIALOGUES = [
    (["a b c", "d e"], "f g", [(1, 1, "b c")]),
    (["c c d a b"], "g h f", [(0, 1, "a b"), (3, 3, "z")]),  # nothing fills the second one
    (["e"], "a b", []),
]


def ids(words):
    return torch.tensor([WORDS.index(w) if w in WORDS else 1 for w in words])


def lstm(p, x, suffix):
    w, u, b = (p[f"lstm.{n}_l0{suffix}"] for n in ("weight_ih", "weight_hh", "bias"))
    h, c, states = torch.zeros(H), torch.zeros(H), []
    for row in x.flip(0) if suffix else x:
        i, f, g, o = (w @ row + u @ h + b).chunk(4)
        c = f.sigmoid() * c + i.sigmoid() * g.tanh()
        h = o.sigmoid() * c.tanh()
        states.append(h)
    return torch.stack(states[::-1] if suffix else states)


def candidates(context):
    """Runs of words of a turn: the last end first, then the shorter ones; of equal ones the last."""
    words, found, seen = [w for turn in context for w in turn.split() + [EOU]], [], set()
    for end in range(len(words) - 1, 0, -1):
        for size in range(1, SPAN + 1):
            run = tuple(words[max(end - size, 0):end])
            if EOU in run or len(run) < size:
                break
            if run not in seen:
                seen.add(run)
                found.append((end - size, end, run))
    return found


def model(p):
    """Logits of the labels, and (scores, place of the answer) of each gap, dialogue after dialogue."""
    logits, gaps_of = [], []
    for context, turn, gaps in DIALOGUES:
        read = [w for t in context + [turn] for w in t.split() + [EOU]]
        x = p["embedding.weight"][ids(read)] + p["positions.weight"][torch.arange(len(read)).flip(0)]
        h = torch.cat([lstm(p, x, ""), lstm(p, x, "_reverse")], 1)
        border = len(read) - len(turn.split()) - 2
        logits.append(h[border:] @ p["labels.weight"].T + p["labels.bias"])
        gaps_of.append([])
        for begin, end, piece in gaps:
            left, right = (border + begin, border + begin + 1) if begin == end else (border + 1 + begin, border + end)
            g = p["left.weight"] @ h[left] + p["right.weight"] @ h[right]
            scores, answer = [], None
            for i, j, run in candidates(context):
                span = p["begin.weight"] @ h[i] + p["begin.bias"] + p["end.weight"] @ h[j - 1]
                scores.append((span + p["lengths.weight"][j - i - 1] + g).tanh() @ p["score.weight"][0])
                answer = len(scores) - 1 if " ".join(run) == piece else answer
            scores.append((p["null"][0] + g).tanh() @ p["score.weight"][0])
            gaps_of[-1].append((torch.stack(scores), answer))
    return logits, gaps_of


def labels(turn, gaps):
    y = [0] * (len(turn.split()) + 2)
    for begin, end, _ in gaps:
        for at in (begin, begin + 1) if begin == end else range(begin + 1, end + 1):
            y[at] = 1 if begin == end else 2
    return torch.tensor(y)


def loss(p, hardest):
    logits, gaps_of = model(p)
    total = 0.01 * torch.sqrt(sum((w ** 2).sum() for name, w in p.items() if name != "embedding.weight"))
    for (_, turn, gaps), y, scored in zip(DIALOGUES, logits, gaps_of):
        total = total + 20 / len(DIALOGUES) * torch.nn.functional.cross_entropy(y, labels(turn, gaps))
        for f, answer in scored:
            others = [k for k in range(len(f) - 1) if k != answer]
            if hardest:
                others = sorted(others, key=lambda k: -f[k].item())[:hardest]
            negatives, null, of_gap = f[others], f[-1], 0
            of_gap = (1 + negatives - null).relu().mean()
            if answer is not None:
                of_gap = of_gap + (1 + negatives - f[answer]).relu().mean() + (1 + null - f[answer]).relu()
            total = total + of_gap / len(DIALOGUES)
    return total


def main(path):
    torch.manual_seed(3)
    shapes = {"embedding.weight": (len(WORDS), E), "positions.weight": (128, E)}
    for suffix in ("", "_reverse"):
        shapes.update({f"lstm.weight_ih_l0{suffix}": (4 * H, E), f"lstm.weight_hh_l0{suffix}": (4 * H, H),
                       f"lstm.bias_l0{suffix}": (4 * H,)})
    shapes.update({"labels.weight": (3, 2 * H), "labels.bias": (3,), "begin.weight": (H, 2 * H), "begin.bias": (H,),
                   "end.weight": (H, 2 * H), "left.weight": (H, 2 * H), "right.weight": (H, 2 * H),
                   "lengths.weight": (SPAN, H), "null": (1, H), "score.weight": (1, H)})
    p = {name: (0.7 * torch.randn(shape)).requires_grad_() for name, shape in shapes.items()}
    tensors = {"parameters." + name: w.detach().clone() for name, w in p.items()}
    logits, gaps_of = model(p)
    tensors["logits"] = torch.cat(logits).detach()
    tensors["scores"] = torch.cat([f for gaps in gaps_of for f, _ in gaps]).detach()
    for hardest in (0, 2):
        value = loss(p, hardest)
        tensors[f"loss.{hardest}"] = value.detach()
        for (name, _), gradient in zip(p.items(), torch.autograd.grad(value, list(p.values()))):
            tensors[f"gradients.{hardest}.{name}"] = gradient
    optimizer, steps = torch.optim.SGD(p.values(), lr=0.05), []
    for _ in range(5):
        optimizer.zero_grad()
        value = loss(p, 2)
        steps.append(value.item())
        value.backward()
        optimizer.step()
    tensors["steps"] = torch.tensor(steps)
    tensors.update({"after." + name: w.detach() for name, w in p.items()})
    heed.write_safetensors(path, {name: t.numpy() for name, t in tensors.items()})


if __name__ == "__main__":
    main(sys.argv[1])
