"""THRED without topic words: `dialog/respond/models/thred.h` once more, in PyTorch."""
from __future__ import annotations

from typing import List

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import ModelConfig
from heed.torch.hred import Additive, last_states
from heed.torch.parts import Example, Outputs, Responder


class ThredResponder(Responder):
    """encoder      h_i = a GRU over utterance i, both ways
    message      m_i = sum_j weights_j h_ij for the query [s_{t-1}; c_{i-1}], or the last states of h_i
    integration  c_i = GRU(m_i, c_{i-1}), in every step anew
    decoder      s_t = GRU([E y_{t-1}; r_t]), r_t = sum_i weights_i c_i for the query s_{t-1}
    output       logits = W_o [s_t; E y_{t-1}]"""

    def __init__(self, config: ModelConfig):
        super().__init__(config)
        c = config
        e, h, layers = c.embedding_size, c.hidden_size, c.num_layers
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e),
                                      "gru": nn.GRU(e, h, layers, bidirectional=True)})
        if c.message_attention:
            self.message = nn.ModuleDict({"attention": Additive(2 * h, 2 * h, h)})
        self.context = nn.ModuleDict({"gru": nn.GRU(2 * h, h)})
        self.decoder = nn.ModuleDict({"attention": Additive(h, h, h),
                                      "start": nn.ModuleList(nn.Linear(h, h) for _ in range(layers)),
                                      "gru": nn.GRU(e + h, h, layers),
                                      "output": nn.Linear(h + e, c.vocab_size, bias=False)})

    def embedded(self, tokens: List[int]) -> Tensor:
        return parts.embedded(self.encoder["embedding"], tokens)

    def integrate(self, example: Example, s: Tensor) -> Tensor:
        """c_1 .. c_q, (q, H), for the decoder's state s (H)."""
        c, all_c = torch.zeros_like(s), []
        for utterance in example["context"]:
            words, last = self.encoder["gru"](self.embedded([*utterance, parts.EOU]))
            message = last_states(last)[-1]
            if self.config.message_attention:
                message = self.message["attention"](words, torch.cat([s, c])) @ words
            c = self.context["gru"](message[None], c[None])[0][0]
            all_c.append(c)
        return torch.stack(all_c)

    def forward(self, example: Example) -> Outputs:
        last = self.integrate(example, self.decoder["output"].weight.new_zeros(self.config.hidden_size))[-1]
        state = torch.stack([torch.tanh(linear(last)) for linear in self.decoder["start"]])
        hidden, attention = [], []
        for word in self.embedded([parts.SOS, *example["response"]]):
            c = self.integrate(example, state[-1])
            weights = self.decoder["attention"](c, state[-1])
            y, state = self.decoder["gru"](torch.cat([word, weights @ c])[None], state)
            hidden.append(torch.cat([y[0], word]))
            attention.append(weights)
        logits = self.decoder["output"](torch.stack(hidden))
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        return parts.outputs(example, nll, torch.stack(attention), False)
