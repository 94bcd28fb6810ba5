"""The Transformer (Vaswani et al. 2017, norms first): `dialog/respond/models/transformer.h` once more, in
PyTorch, with PyTorch's own attention nowhere in it."""
from __future__ import annotations

import math
from typing import Sequence, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import Example, Outputs, Responder


class Attention(nn.Module):
    """softmax(Q K^T / sqrt(d)) V for each head of d = width / heads dimensions."""

    def __init__(self, width: int, heads: int):
        super().__init__()
        self.query, self.key = nn.Linear(width, width), nn.Linear(width, width)
        self.value, self.output = nn.Linear(width, width), nn.Linear(width, width)
        self.heads = heads

    def forward(self, x: Tensor, memory: Tensor, causal: bool = False) -> Tuple[Tensor, Tensor]:
        """x (n, D), memory (m, D) -> (n, D) and the weights (n, m), means over the heads."""
        n, m, d = len(x), len(memory), x.shape[1] // self.heads
        q, k, v = (f(y).view(len(y), self.heads, d).transpose(0, 1)
                   for f, y in ((self.query, x), (self.key, memory), (self.value, memory)))
        s = q @ k.transpose(1, 2) / math.sqrt(d)  # (heads, n, m)
        if causal:
            s = s.masked_fill(torch.ones(n, m, dtype=torch.bool, device=x.device).triu(1), -math.inf)
        w = torch.softmax(s, -1)
        return self.output((w @ v).transpose(0, 1).reshape(n, -1)), w.mean(0)


class FeedForward(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.linear1, self.linear2 = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x: Tensor) -> Tensor:
        return self.linear2(torch.relu(self.linear1(x)))


class Layer(nn.Module):
    """Of the encoder, or of the decoder, which also attends to its own words so far."""

    def __init__(self, width: int, heads: int, decoder: bool):
        super().__init__()
        if decoder:
            self.self_attention = Attention(width, heads)
        self.attention = Attention(width, heads)
        self.feed_forward = FeedForward(width)
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        if decoder:
            self.norm3 = nn.LayerNorm(width)

    def encode(self, x: Tensor) -> Tensor:
        n = self.norm1(x)
        x = x + self.attention(n, n)[0]
        return x + self.feed_forward(self.norm2(x))

    def decode(self, x: Tensor, memory: Tensor) -> Tuple[Tensor, Tensor]:
        n = self.norm1(x)
        x = x + self.self_attention(n, n, causal=True)[0]
        seen, weights = self.attention(self.norm2(x), memory)
        x = x + seen
        return x + self.feed_forward(self.norm3(x)), weights


def positions(count: int, like: Tensor) -> Tensor:
    """(count, D): sin and cos of t / 10000^(2i / D), side by side, in the type of `like` (.., D)."""
    width = like.shape[-1]
    p = torch.arange(count, dtype=like.dtype, device=like.device)[:, None]
    f = 10000.0 ** (-torch.arange(0, width, 2, dtype=like.dtype, device=like.device) / width)
    return torch.stack([torch.sin(p * f), torch.cos(p * f)], 2).reshape(count, width)


class TransformerResponder(Responder):
    """Its memory are the m token states; the attention is that of the last layer on it, mean over
    the heads."""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        self.encoder, self.decoder = nn.ModuleDict(), nn.ModuleDict()
        for side, is_decoder in ((self.encoder, False), (self.decoder, True)):
            side["embedding"] = nn.Embedding(c.vocab_size, c.hidden_size)
            for n in range(c.num_layers):
                side[f"layer{n}"] = Layer(c.hidden_size, c.heads, is_decoder)
            side["norm"] = nn.LayerNorm(c.hidden_size)
        self.decoder["output"] = nn.Linear(c.hidden_size, c.vocab_size, bias=False)

    @staticmethod
    def _embedded(side: nn.ModuleDict, tokens: Sequence[int]) -> Tensor:
        x = parts.embedded(side["embedding"], tokens)
        return math.sqrt(x.shape[1]) * x + positions(len(tokens), x)

    @staticmethod
    def _layer(side: nn.ModuleDict, name: str) -> Layer:
        layer = side[name]
        assert isinstance(layer, Layer)
        return layer

    def forward(self, example: Example) -> Outputs:
        layers = [f"layer{n}" for n in range(self.config.num_layers)]
        x = self._embedded(self.encoder, parts.context_tokens(example))
        for name in layers:
            x = self._layer(self.encoder, name).encode(x)
        memory = self.encoder["norm"](x)
        y = self._embedded(self.decoder, [parts.SOS, *example["response"]])
        for name in layers:
            y, weights = self._layer(self.decoder, name).decode(y, memory)
        logits = self.decoder["output"](self.decoder["norm"](y))
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        return parts.outputs(example, nll, weights, of_tokens=True)
