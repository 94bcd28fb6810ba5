"""Keywords by PPMI, and a loss on sampled words: `dialog/respond/models/keywords.h` once more, in PyTorch."""
from __future__ import annotations

from typing import Dict, List, Mapping

import numpy as np
import torch
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.parts import Example, Outputs, Responder

KEYWORDS, TEMPERATURE = 20, 1.0  # k, tau


class Mixed(nn.Module):
    """ln((1 - l) softmax(W h) + l v), l = sigmoid(w . h + b), or 0 where v is."""

    def __init__(self, inputs: int, vocab_size: int):
        super().__init__()
        self.weight = nn.Parameter(torch.empty(vocab_size, inputs).uniform_(-1, 1) / inputs ** 0.5)
        self.gate = nn.Linear(inputs, 1)

    def forward(self, h: Tensor, v: Tensor) -> Tensor:
        share = torch.sigmoid(self.gate(h)) * (v.sum() > 0)
        return torch.log((1 - share) * torch.softmax(h @ self.weight.T, 1) + share * v)


class KeywordResponder(Responder):
    """query     the last utterance, or with whole_query the context, each utterance with its <eou>
    encoder   h = GRU(words of the query)
    keywords  v_f = sum of PPMI(q, .) over its different words, over the sum of that; m = tanh(W_2 tanh(W_1 v_f))
    decoder   s_t = GRU(E y_{t-1}), s_0 = [h; m] in each layer
    output    p = (1 - l_t) softmax(W_o s_t) + l_t v_f"""

    def __init__(self, config: ModelConfig, tables: Mapping[str, np.ndarray]):
        super().__init__(config)
        c = config
        e, h, layers = c.embedding_size, c.hidden_size, c.num_layers
        self.ppmi: Dict[int, Dict[int, float]] = {}
        for query, response, value in zip(*(tables[f"ppmi.{part}"].tolist() for part in ("query", "response", "value"))):
            self.ppmi.setdefault(query, {})[response] = value
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e), "gru": nn.GRU(e, h, layers)})
        self.keywords = nn.ModuleDict({"first": nn.Linear(c.vocab_size, h), "second": nn.Linear(h, h)})
        self.decoder = nn.ModuleDict({"gru": nn.GRU(e, 2 * h, layers), "output": Mixed(2 * h, c.vocab_size)})

    def query(self, example: Example) -> List[int]:
        utterances = example["context"] if self.config.whole_query else example["context"][-1:]
        return [token for utterance in utterances for token in (*utterance, parts.EOU)]

    def embedded(self, tokens: List[int]) -> Tensor:
        return parts.embedded(self.encoder["embedding"], tokens)

    def scores(self, example: Example) -> Tensor:
        """v_f (V)."""
        v = torch.zeros_like(self.decoder["output"].weight[:, 0])
        for query in set(self.query(example)):
            for response, value in self.ppmi.get(query, {}).items():
                v[response] += value
        return v / v.sum() if v.sum() > 0 else v

    def log_p(self, example: Example) -> Tensor:
        """Of all words in all steps, (n + 1, V)."""
        v = self.scores(example).detach()
        h = self.encoder["gru"](self.embedded(self.query(example)))[1]
        m = torch.tanh(self.keywords["second"](torch.tanh(self.keywords["first"](v))))
        start = torch.stack([torch.cat([of_layer, m]) for of_layer in h])
        s = self.decoder["gru"](self.embedded([parts.SOS, *example["response"]]), start)[0]
        return self.decoder["output"](s, v)

    def forward(self, example: Example) -> Outputs:
        log_p = self.log_p(example)
        nll = -log_p[torch.arange(len(log_p)), parts.targets(example, log_p)]
        return parts.outputs(example, nll, nll.new_zeros(len(nll), 0), True)

    def keyword_loss(self, example: Example, noise: Tensor) -> Tensor:
        """l_v, for Gumbel noise (n + 1, V)."""
        drawn = torch.softmax((self.log_p(example) + noise) / TEMPERATURE, 1).sum(0)
        v = self.scores(example).tolist()
        best = sorted((word for word in range(len(v)) if v[word] > 0), key=lambda word: (-v[word], word))[:KEYWORDS]
        return -drawn[best].clamp(max=1).sum() / KEYWORDS
