"""config.json of a model directory."""
from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields
from typing import Any, Dict, Mapping, Optional

from heed._files import DataError

STRUCTURES = ("non-hier", "static", "static-ui", "dynamic", "dynamic-ui", "lstm", "lstm-attention",
              "bilstm-attention", "hred", "hred-stacked", "transformer", "hred-gru", "hred-attention-current",
              "hred-attention", "thred", "keywords", "thred-topics", "seq2seq-gru", "ta-seq2seq", "two-vocabulary")
_LSTM = STRUCTURES[:5]  # dialog/respond/models/lstm.h
_ONE_SCORE = tuple(s for s in STRUCTURES[:10] if s != "lstm")
_HRED = STRUCTURES[11:14]  # dialog/respond/models/hred.h
_THRED = ("thred", "thred-topics")
_TWO_VOCABULARY = ("generic_words", "gate_on_logits", "gate_weight", "sentiment", "domain")  # its own settings
WITH_TOPICS = ("thred-topics", "ta-seq2seq")
WITH_TABLES = ("keywords", *WITH_TOPICS)  # in tables.safetensors


@dataclass(frozen=True)
class ModelConfig:
    """Structure and sizes, by the names of docs/files.md. DataError says which rule they break.

    Here nothing is dropped and no noise is drawn: both are for the training. But noise other than none widens the
    decoder's input. attention is dot, general or additive; None is the structure's own. message_attention is for thred
    and thred-topics, topics for the latter and ta-seq2seq, keyword_weight, which is of the training alone, and whole_query
    for keywords. What follows is for two-vocabulary: the first generic_words of the words (0: all) are generic.
    """

    # Made from dialog/respond/settings.h by HEED_WRITE_DOCS=1 build/release/tests/docs_settings_test.
    # <settings>
    structure: str
    vocab_size: int
    embedding_size: int
    hidden_size: int
    num_layers: int
    lstm_bias: bool = False
    dropout: float = 0.2
    heads: int = 2
    attention: Optional[str] = None
    bidirectional: bool = False
    input_feeding: bool = True
    noise: str = "none"
    message_attention: bool = True
    topics: int = 50
    keyword_weight: float = 0.1
    whole_query: bool = False
    generic_words: int = 0
    gate_on_logits: bool = False
    gate_weight: float = 1.0
    sentiment: str = "emotion"
    domain: str = "topic"
    # </settings>

    @classmethod
    def _usual(cls) -> Dict[str, Any]:
        """The defaults."""
        return {field.name: field.default for field in fields(cls) if field.default is not MISSING}

    @property
    def score(self) -> str:
        """How queries and memory rows are scored."""
        return self.attention or ("dot" if self.structure in _LSTM else "additive")

    def __post_init__(self) -> None:
        def check(ok: bool, rule: str) -> None:
            if not ok:
                raise DataError(rule)

        s = self.structure
        check(s in STRUCTURES, f"structure: expected one of {', '.join(STRUCTURES)}, got {s!r}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.type == "int":
                least, most = (0, self.vocab_size) if field.name == "generic_words" else (1, 1 << 24)
                check(type(value) is int and least <= value <= most,
                      f"{field.name}: expected {least} to {most}, got {value!r}")
            elif field.type == "bool":
                check(isinstance(value, bool), f"{field.name}: expected true or false")
        check(self.attention in (None, "dot", "general", "additive"),
              f"attention: expected one of dot, general, additive, got {self.attention!r}")
        check(self.attention is None or s in _ONE_SCORE, f"attention: not of {s}")
        check(self.noise in ("none", "utterance", "word"),
              f"noise: expected one of none, utterance, word, got {self.noise!r}")
        check(self.noise == "none" or s in _HRED, f"noise: is for {', '.join(_HRED)}, not {s}")
        check(self.message_attention or s in _THRED, f"message_attention: false is for {', '.join(_THRED)}, not {s}")
        usual = self._usual()
        check(self.topics == usual["topics"] or s in WITH_TOPICS, f"topics: is for {', '.join(WITH_TOPICS)}, not {s}")
        check(self.keyword_weight == usual["keyword_weight"] or (s == "keywords" and 0 <= self.keyword_weight <= 1),
              f"keyword_weight: is 0 to 1 of keywords, not of {s}")
        check(not self.whole_query or s == "keywords", f"whole_query: is for keywords, not {s}")
        check(s == "two-vocabulary" or all(getattr(self, name) == usual[name] for name in _TWO_VOCABULARY),
              f"{', '.join(_TWO_VOCABULARY)}: are for two-vocabulary, not {s}")
        check(type(self.gate_weight) in (int, float) and 0 <= self.gate_weight < float("inf"),
              f"gate_weight: expected 0 or more, got {self.gate_weight!r}")
        for condition in (self.sentiment, self.domain):
            values = str(condition).split("=")[-1].split("|")
            check(isinstance(condition, str) and len(condition) > 0 and "" not in values and len(set(values)) == len(values),
                  f"sentiment, domain: expected LABEL or LABEL=VALUE|VALUE, got {condition!r}")
        check(not self.bidirectional or (s == "non-hier" and self.hidden_size % 2 == 0),
              "bidirectional: is for the structure non-hier with an even hidden_size")
        check(self.input_feeding or s in ("non-hier", "dynamic", "dynamic-ui"),
              f"input_feeding: false is for non-hier, dynamic and dynamic-ui, not {s}")
        check(s != "transformer" or (self.hidden_size % self.heads == 0 and self.hidden_size % 2 == 0),
              "hidden_size: of a transformer it is even and a multiple of the heads")

    @classmethod
    def of_json(cls, json: Mapping[str, Any]) -> ModelConfig:
        """What config.json holds. A setting that is not known here would make other numbers: it is refused."""
        if json.get("system", "respond") != "respond":
            raise DataError(f"a model of the system {json['system']!r}, which does not write responses")
        settings = {key: value for key, value in json.items() if key not in ("system", "words_fingerprint")}
        for key in settings:
            if key not in (field.name for field in fields(cls)):
                raise DataError(f"{key}: not a setting that these modules know")
        try:
            return cls(**settings)
        except TypeError as error:  # a missing one
            raise DataError(str(error).partition(" ")[2]) from None

    def to_json(self) -> Dict[str, Any]:
        """What config.json holds: without the defaults of settings that earlier versions did not have."""
        usual = self._usual()
        always = {"lstm_bias", "dropout"} | ({"heads"} if self.structure == "transformer" else set())
        return {key: value for key, value in asdict(self).items()
                if key not in usual or key in always or value != usual[key]}
