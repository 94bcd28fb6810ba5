"""Seq2Seq (HRED and its kin) and Transformer response models in plain PyTorch: the specification of
dialog/respond/seq2seq.h and transformer.h, one dialogue at a time, with PyTorch's own attention nowhere in it."""
import math

import torch
import torch.nn.functional as F

from das_torch import EOS, EOU, SOS


class Lstm(torch.nn.LSTM):
    """Without bias, as in all cases: heed's has one vector a layer, PyTorch's two."""

    def __init__(self, *args, **options):
        super().__init__(*args, batch_first=True, bias=False, **options)


def scores(attention, mask, context, as_of_tokens):
    """attention [T, M], mask [M] -> the two measures of das_torch.py's models."""
    q = len(context)
    attention_loss = ((attention * mask) ** 2).mean(1)
    if not as_of_tokens:
        return attention_loss, q * attention.mean(0)
    lengths = torch.tensor([len(u) + 1 for u in context])
    utterance_of = torch.repeat_interleave(torch.arange(q), lengths)
    sums = torch.zeros(q, dtype=attention.dtype).index_add(0, utterance_of, attention.mean(0))
    return attention_loss, int(lengths.sum()) / lengths * sums


class Seq2Seq(torch.nn.Module):
    """reading: forward, both, stacked or utterances; attention: additive, general or dot."""

    def __init__(self, reading, attends, vocab, embed, hidden, layers, attention="additive"):
        super().__init__()
        self.reading, self.attends, self.attention = reading, attends, attention
        Linear = torch.nn.Linear
        self.encoder = torch.nn.ModuleDict({"embedding": torch.nn.Embedding(vocab, embed),
                                            "lstm": Lstm(embed, hidden, layers, bidirectional=reading == "both")})
        if reading in ("stacked", "utterances"):
            self.context = torch.nn.ModuleDict({"lstm": Lstm(hidden, hidden, layers)})
        self.decoder = torch.nn.ModuleDict({"embedding": torch.nn.Embedding(vocab, embed)})
        if attends:
            names = {"additive": ("query", "memory", "score"), "general": ("project",), "dot": ()}[attention]
            self.decoder["attention"] = torch.nn.ModuleDict(
                {name: Linear(hidden, 1 if name == "score" else hidden, bias=False) for name in names})
            self.decoder["combine"] = Linear(embed + hidden, embed)
        self.decoder["lstm"] = Lstm(embed, hidden, layers)
        self.decoder["output"] = Linear(hidden, vocab, bias=False)

    def read(self, tokens):
        return self.encoder["lstm"](self.encoder["embedding"](torch.tensor(tokens))[None])

    def encode(self, dialog):
        """The memory [rows, H] and the state that starts the decoder."""
        if self.reading == "utterances":
            utterances = torch.stack([self.read(u + [EOU])[0][0, -1] for u in dialog["context"]])
            out, state = self.context["lstm"](utterances[None])
            return out[0], state
        out, state = self.read([t for u in dialog["context"] for t in u + [EOU]])
        if self.reading == "stacked":
            out, state = self.context["lstm"](out)
        if self.reading == "both":
            forward, backward = out.chunk(2, -1)
            out, state = forward + backward, tuple(x[0::2] + x[1::2] for x in state)
        return out[0], state

    def scores(self, memory, s):
        """Of each row of the memory, for the state s before the step."""
        part = self.decoder["attention"]
        if self.attention == "additive":
            return part["score"](torch.tanh(part["query"](s) + part["memory"](memory)))[:, 0]
        return memory @ (part["project"](s) if self.attention == "general" else s)

    def forward(self, dialog):
        memory, state = self.encode(dialog)
        weights = torch.full((len(memory),), 1 / len(memory))
        nll, attention = [], []
        for x, y in zip([SOS] + dialog["response"], dialog["response"] + [EOS]):
            step = self.decoder["embedding"](torch.tensor(x))
            if self.attends:
                weights = torch.softmax(self.scores(memory, state[0][-1, 0]), 0)      # s_{t-1}
                step = self.decoder["combine"](torch.cat([step, weights @ memory]))
            out, state = self.decoder["lstm"](step[None, None], state)
            nll.append(F.cross_entropy(self.decoder["output"](out[0]), torch.tensor([y])))
            attention.append(weights)
        nll, attention = torch.stack(nll), torch.stack(attention)
        mask, of_tokens = torch.tensor(dialog["distraction"], dtype=attention.dtype), self.reading != "utterances"
        if of_tokens:
            mask = torch.repeat_interleave(mask, torch.tensor([len(u) + 1 for u in dialog["context"]]))
        attention_loss, as_scores = scores(attention, mask, dialog["context"], of_tokens)
        return {"nll": nll, "attention": attention, "attention_loss": attention_loss, "as_scores": as_scores}


# name -> how the context is read, and whether the decoder attends
SEQ2SEQ = {"hred": ("utterances", True), "lstm": ("forward", False), "lstm-attention": ("forward", True),
           "bilstm-attention": ("both", True), "hred-stacked": ("stacked", True)}


class Attention(torch.nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        for name in ("query", "key", "value", "output"):
            setattr(self, name, torch.nn.Linear(width, width))
        self.heads = heads

    def forward(self, x, memory, causal=False):
        n, m, d = len(x), len(memory), x.shape[1] // self.heads
        q, k, v = (f(y).view(len(y), self.heads, d).transpose(0, 1)
                   for f, y in ((self.query, x), (self.key, memory), (self.value, memory)))
        s = q @ k.transpose(1, 2) / math.sqrt(d)                  # [heads, n, m]
        if causal:
            s = s.masked_fill(torch.ones(n, m, dtype=torch.bool).triu(1), -math.inf)
        w = torch.softmax(s, -1)
        return self.output((w @ v).transpose(0, 1).reshape(n, -1)), w.mean(0)


class FeedForward(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.linear1, self.linear2 = torch.nn.Linear(width, 4 * width), torch.nn.Linear(4 * width, width)

    def forward(self, x):
        return self.linear2(torch.relu(self.linear1(x)))


class Layer(torch.nn.Module):
    def __init__(self, width, heads, decoder):
        super().__init__()
        if decoder:
            self.self_attention = Attention(width, heads)
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width)
        self.norm1, self.norm2 = torch.nn.LayerNorm(width), torch.nn.LayerNorm(width)
        if decoder:
            self.norm3 = torch.nn.LayerNorm(width)

    def encode(self, x):
        n = self.norm1(x)
        x = x + self.attention(n, n)[0]
        return x + self.feed_forward(self.norm2(x))

    def decode(self, x, memory):
        n = self.norm1(x)
        x = x + self.self_attention(n, n, causal=True)[0]
        seen, weights = self.attention(self.norm2(x), memory)
        x = x + seen
        return x + self.feed_forward(self.norm3(x)), weights


def positions(count, width):
    p = torch.arange(count, dtype=torch.get_default_dtype())[:, None]
    f = 10000.0 ** (-torch.arange(0, width, 2, dtype=p.dtype) / width)
    return torch.stack([torch.sin(p * f), torch.cos(p * f)], 2).reshape(count, width)


class Transformer(torch.nn.Module):
    def __init__(self, vocab, width, heads, layers):
        super().__init__()
        self.width = width
        self.encoder, self.decoder = torch.nn.ModuleDict(), torch.nn.ModuleDict()
        for side, is_decoder in ((self.encoder, False), (self.decoder, True)):
            side["embedding"] = torch.nn.Embedding(vocab, width)
            for n in range(layers):
                side[f"layer{n}"] = Layer(width, heads, is_decoder)
            side["norm"] = torch.nn.LayerNorm(width)
        self.decoder["output"] = torch.nn.Linear(width, vocab, bias=False)
        self.layers = layers

    def embedded(self, side, tokens):
        return math.sqrt(self.width) * side["embedding"](torch.tensor(tokens)) + positions(len(tokens), self.width)

    def forward(self, dialog):
        tokens = [t for u in dialog["context"] for t in u + [EOU]]
        x = self.embedded(self.encoder, tokens)
        for n in range(self.layers):
            x = self.encoder[f"layer{n}"].encode(x)
        memory = self.encoder["norm"](x)
        y = self.embedded(self.decoder, [SOS] + dialog["response"])
        for n in range(self.layers):
            y, weights = self.decoder[f"layer{n}"].decode(y, memory)
        logits = self.decoder["output"](self.decoder["norm"](y))
        nll = F.cross_entropy(logits, torch.tensor(dialog["response"] + [EOS]), reduction="none")
        flags = torch.tensor(dialog["distraction"], dtype=weights.dtype)
        lengths = torch.tensor([len(u) + 1 for u in dialog["context"]])
        attention_loss, as_scores = scores(weights, torch.repeat_interleave(flags, lengths), dialog["context"], True)
        return {"nll": nll, "attention": weights, "attention_loss": attention_loss, "as_scores": as_scores}
