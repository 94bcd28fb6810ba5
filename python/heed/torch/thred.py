"""THRED: `dialog/respond/models/thred.h` once more, in PyTorch."""
from __future__ import annotations

from typing import List, Mapping, Tuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from heed.torch import parts
from heed.torch.config import WITH_TOPICS, ModelConfig
from heed.torch.hred import Additive, last_states
from heed.torch.parts import Example, Outputs, Responder
from heed.torch.topics import TopicModel

FLAT = ("seq2seq-gru", "ta-seq2seq")
FORMS = ("thred", "thred-topics", *FLAT)
TOPIC_WORDS = 100


class JointSoftmax(nn.Module):
    """ln((exp a_y + [y in K] exp b_y) / M), a = W_a h[:first], b = W_b h."""

    def __init__(self, inputs: int, first: int, vocab_size: int, part: List[int]):
        super().__init__()
        self.first, self.words = first, part
        self.weight = nn.Parameter(torch.empty(vocab_size, first).uniform_(-1, 1) / first ** 0.5)
        self.part = nn.Linear(inputs, len(part), bias=False)

    def forward(self, h: Tensor) -> Tensor:
        mass = torch.exp(h[:, :self.first] @ self.weight.T)
        mass = mass.index_add(1, torch.tensor(self.words, device=h.device), torch.exp(self.part(h)))
        return torch.log(mass / mass.sum(1, keepdim=True))


class ThredResponder(Responder):
    """encoder      h_i = a GRU over utterance i, both ways
    message      m_i = sum_j weights_j h_ij for the query [s_{t-1}; c_{i-1}], or the last states of h_i
    integration  c_i = GRU(m_i, c_{i-1}), in every step anew
    decoder      s_t = GRU([E y_{t-1}; r_t; k_t]), r_t = sum_i weights_i c_i for the query s_{t-1}
    topics       k_t = sum_w weights_w E w for the query [s_{t-1}; c_q], w the words of the context's topic; or no k_t
    output       logits = W_o [s_t; E y_{t-1}]; with topics a joint softmax of that and W_K [s_t; E y_{t-1}; r_t]
    flat         the whole context is one utterance: q = 1, r_t = c_1, and the attention is that of the message"""

    def __init__(self, config: ModelConfig, tables: Mapping[str, np.ndarray]):
        super().__init__(config)
        c = config
        e, h, layers = c.embedding_size, c.hidden_size, c.num_layers
        self.encoder = nn.ModuleDict({"embedding": nn.Embedding(c.vocab_size, e),
                                      "gru": nn.GRU(e, h, layers, bidirectional=True)})
        if c.message_attention:
            self.message = nn.ModuleDict({"attention": Additive(2 * h, 2 * h, h)})
        self.context = nn.ModuleDict({"gru": nn.GRU(2 * h, h)})
        self.flat = c.structure in FLAT
        self.decoder = nn.ModuleDict({**({} if self.flat else {"attention": Additive(h, h, h)}),
                                      "start": nn.ModuleList(nn.Linear(h, h) for _ in range(layers)),
                                      "gru": nn.GRU(e + h, h, layers),
                                      "output": nn.Linear(h + e, c.vocab_size, bias=False)})
        self.lda = None
        if c.structure in WITH_TOPICS:
            self.lda = TopicModel(tables["topics.counts"])
            first = 5 + min(1000, c.vocab_size // 10)
            self.words = [self.lda.top_words(k, first, TOPIC_WORDS) or [5] for k in range(c.topics)]
            self.topics = nn.ModuleDict({"attention": Additive(2 * h, e, h)})
            self.decoder["gru"] = nn.GRU(e + h + e, h, layers)
            every = sorted({word for words in self.words for word in words})
            self.decoder["output"] = JointSoftmax(h + e + h, h + e, c.vocab_size, every)

    def embedded(self, tokens: List[int]) -> Tensor:
        return parts.embedded(self.encoder["embedding"], tokens)

    def integrate(self, example: Example, s: Tensor) -> Tuple[Tensor, Tensor]:
        """c_1 .. c_q, (q, H), for the decoder's state s (H), and the weights of the last utterance's words."""
        c, all_c, weights = torch.zeros_like(s), [], s
        utterances = [[*utterance, parts.EOU] for utterance in example["context"]]
        for utterance in [parts.context_tokens(example)] if self.flat else utterances:
            words, last = self.encoder["gru"](self.embedded(utterance))
            message = last_states(last)[-1]
            if self.config.message_attention:
                weights = self.message["attention"](words, torch.cat([s, c]))
                message = weights @ words
            c = self.context["gru"](message[None], c[None])[0][0]
            all_c.append(c)
        return torch.stack(all_c), weights

    def forward(self, example: Example) -> Outputs:
        last = self.integrate(example, self.decoder["output"].weight.new_zeros(self.config.hidden_size))[0][-1]
        state = torch.stack([torch.tanh(linear(last)) for linear in self.decoder["start"]])
        hidden, attention = [], []
        if self.lda is not None:
            context = parts.context_tokens(example)
            topic = self.embedded(self.words[self.lda.topic_of(context)])
        for word in self.embedded([parts.SOS, *example["response"]]):
            c, of_words = self.integrate(example, state[-1])
            weights = of_words if self.flat else self.decoder["attention"](c, state[-1])
            r = c[-1] if self.flat else weights @ c
            step, made = [word, r], [word]
            if self.lda is not None:
                step.append(self.topics["attention"](topic, torch.cat([state[-1], c[-1]])) @ topic)
                made.append(r)
            y, state = self.decoder["gru"](torch.cat(step)[None], state)
            hidden.append(torch.cat([y[0], *made]))
            attention.append(weights)
        logits = self.decoder["output"](torch.stack(hidden))
        nll = F.cross_entropy(logits, parts.targets(example, logits), reduction="none")
        return parts.outputs(example, nll, torch.stack(attention), self.flat)
