"""Executable specification of the five dialogue structures, in PyTorch.

It fixes what the equations of Xing & Gulla (2022) leave open, so that two
implementations can be compared number by number.  It is written to be read,
not to be fast.

Shapes: B dialogues, m context tokens, q context utterances, n response tokens,
E embedding size, H hidden size, V vocabulary size, L LSTM layers.

Token ids: 0 <pad>, 1 <unk>, 2 <sos>, 3 <eos>, 4 <eou>; words follow.
A context is its utterances one after the other, each closed by <eou>;
a response is fed as <sos> w1 .. wn and predicted as w1 .. wn <eos>.
"""
import json
import struct

import torch
import torch.nn as nn
import torch.nn.functional as F

PAD, UNK, SOS, EOS, EOU = 0, 1, 2, 3, 4
STRUCTURES = ["non-hier", "static", "static-ui", "dynamic", "dynamic-ui"]


class DialogModel(nn.Module):
    """One of the five structures.  Dropout is left out: it is random, so two
    implementations agree only without it (evaluation mode).

    attention      dot: k . q, or general: k . (W q) (Luong et al. 2015)
    bidirectional  encoder: two directions of hidden / 2 cells, side by side,
                   also in the states that start the decoder, layer by layer
    input_feeding  the decoder reads c_{t-1} beside the word"""

    def __init__(self, structure, vocab, embed, hidden, layers, bias=False,
                 attention="dot", bidirectional=False, input_feeding=True):
        super().__init__()
        assert structure in STRUCTURES
        self.structure = structure
        self.hierarchical = structure != "non-hier"
        self.static = structure.startswith("static")
        self.ui = structure.endswith("-ui")
        self.encoder = nn.ModuleDict({
            "embedding": nn.Embedding(vocab, embed, padding_idx=PAD),
            "lstm": nn.LSTM(embed, hidden // 2 if bidirectional else hidden, layers, bias=bias,
                            batch_first=True, bidirectional=bidirectional)})
        self.bidirectional, self.input_feeding = bidirectional, input_feeding
        if self.ui:
            self.integration = nn.ModuleDict({
                "lstm": nn.LSTM(hidden, hidden, layers, bias=bias, batch_first=True)})
        self.decoder = nn.ModuleDict({
            "embedding": nn.Embedding(vocab, embed, padding_idx=PAD),
            "lstm": nn.LSTM(embed + hidden if input_feeding else embed, hidden, layers, bias=bias,
                            batch_first=True),
            **({"attention": nn.ModuleDict({"project": nn.Linear(hidden, hidden, bias=False)})}
               if attention == "general" else {}),
            "combine": nn.Linear(2 * hidden, hidden, bias=False),
            "output": nn.Linear(hidden, vocab, bias=False)})

    def forward(self, dialog):
        """dialog: one dialogue {"context": [[ids], ..], "response": [ids],
        "distraction": [bool per utterance]}.  Returns a dict of tensors.

        nll        [n+1]     -log p of each response token, <eos> last
        attention  [n+1, P]  weights over P = m tokens or q utterances
        attention_loss [n+1] Eq. 9 for each decoding step
        as_scores  [q]       Eq. 7; 1.0 is an average utterance (see below for non-hier)
        """
        context = [u + [EOU] for u in dialog["context"]]
        tokens = torch.tensor([t for u in context for t in u])
        lengths = torch.tensor([len(u) for u in context])
        q, m = len(context), len(tokens)
        utterance_of = torch.repeat_interleave(torch.arange(q), lengths)

        # one encoder LSTM runs over the whole context (Eq. 2)
        outputs, state = self.encoder["lstm"](self.encoder["embedding"](tokens)[None])
        if self.bidirectional:                                # [2 L, 1, H / 2] -> [L, 1, H]
            state = tuple(torch.cat([x[0::2], x[1::2]], -1) for x in state)
        memory = outputs[0]                                   # [m, H]
        if self.hierarchical:
            memory = memory[torch.cumsum(lengths, 0) - 1]     # last token of each utterance
        if self.ui:                                           # Eq. 6: all L layers' final state
            _, state = self.integration["lstm"](memory[None])

        static_query = memory[-1]                             # H_q
        top = state[0][-1, 0]                                 # top layer's h, step 0

        def attend(h):
            query = static_query if self.static else h
            if "attention" in self.decoder:
                query = self.decoder["attention"]["project"](query)
            scores = memory @ query
            weights = torch.softmax(scores, 0)                # Eqs. 3-5
            return weights, weights @ memory

        _, c = attend(top)                                    # c_0, from the initial state
        inputs = [SOS] + dialog["response"]
        targets = dialog["response"] + [EOS]
        nll, attention = [], []
        for x, y in zip(inputs, targets):
            e = self.decoder["embedding"](torch.tensor(x))
            step = torch.cat([e, c]) if self.input_feeding else e
            out, state = self.decoder["lstm"](step[None, None], state)
            h = out[0, 0]
            weights, c = attend(h)                            # c_t: used here and fed to step t+1
            z = torch.tanh(self.decoder["combine"](torch.cat([c, h])))
            nll.append(F.cross_entropy(self.decoder["output"](z)[None], torch.tensor([y])))
            attention.append(weights)
        nll, attention = torch.stack(nll), torch.stack(attention)

        flags = torch.tensor(dialog["distraction"], dtype=attention.dtype)    # [q]
        mask = flags if self.hierarchical else flags[utterance_of]
        attention_loss = ((attention * mask) ** 2).mean(1)                    # Eq. 9

        if self.hierarchical:
            as_scores = q * attention.mean(0)
        else:  # m * (mean weight of its tokens): even attention scores 1 for every utterance
            as_scores = m / lengths * torch.zeros(q, dtype=attention.dtype).index_add(
                0, utterance_of, attention.mean(0))
        return {"nll": nll, "attention": attention,
                "attention_loss": attention_loss, "as_scores": as_scores}


def mean(values):
    return sum(values) / len(values) if values else None


def dialogue_means(as_scores, distraction):
    """(D, H): mean AS of a dialogue's distractions and of the original
    utterances of its history; the query, last, is in neither.  None: there is none."""
    history = range(len(distraction) - 1)
    return (mean([as_scores[k] for k in history if distraction[k]]),
            mean([as_scores[k] for k in history if not distraction[k]]))


def das_ratio(as_scores, distraction):
    """D / H of one dialogue: what Eq. 8 takes the mean of.  None where there is
    no distraction, no history, or no attention on the history."""
    d, h = dialogue_means(as_scores, distraction)
    return d / h if d is not None and h else None


def das_summary(dialogs):
    """dialogs: (as_scores, distraction) pairs.  A test set's numbers, over the
    dialogues that have both a distraction and an original utterance in their history:

    as_distraction, as_history   means of D and of H
    das_ratio        their quotient: what the paper's tables print
    mean_das_ratio   the mean of D / H: Eq. 8 as it is written
    """
    pairs = [dialogue_means(a, x) for a, x in dialogs]
    pairs = [(d, h) for d, h in pairs if d is not None and h is not None]
    d, h = mean([d for d, _ in pairs]), mean([h for _, h in pairs])
    return {"as_distraction": d, "as_history": h,
            "das_ratio": d / h if d is not None and h else None,
            "mean_das_ratio": mean([d / h for d, h in pairs if h])}


def batch_loss(model, dialogs, attention_weight=1.0):
    """Training loss: summed over steps, averaged over the B dialogues."""
    total = 0.0
    for d in dialogs:
        out = model(d)
        total = total + out["nll"].sum() + attention_weight * out["attention_loss"].sum()
    return total / len(dialogs)


def perplexity(model, dialogs):
    """exp(total NLL / number of predicted tokens, <eos> counted)."""
    with torch.no_grad():
        nll = torch.cat([model(d)["nll"] for d in dialogs])
    return torch.exp(nll.double().mean()).item()


def clip_and_step(model, lr, max_norm):
    """Global-norm clipping, then plain SGD: p -= lr * min(1, max_norm/norm) * g."""
    norm = torch.sqrt(sum((p.grad.double() ** 2).sum() for p in model.parameters()))
    scale = min(1.0, max_norm / norm.item())
    with torch.no_grad():
        for p in model.parameters():
            p -= lr * scale * p.grad
    return norm.item()


def save_safetensors(path, tensors, metadata):
    """The safetensors container: u64 header length, JSON header, raw data."""
    header, blobs, at = {"__metadata__": metadata}, [], 0
    for name, t in tensors.items():
        raw = t.detach().to(torch.float32).contiguous().numpy().tobytes()
        header[name] = {"dtype": "F32", "shape": list(t.shape), "data_offsets": [at, at + len(raw)]}
        blobs.append(raw)
        at += len(raw)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as f:
        f.write(struct.pack("<Q", len(text)) + text + b"".join(blobs))
