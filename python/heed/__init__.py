"""Reads heed's runs, results and dialogues into NumPy and pandas, writes dialogues and features,
scores with the program, and loads models into PyTorch (`heed.torch`). docs/python.md shows how."""
from heed._files import DataError, HeedError
from heed._version import __version__
from heed.dialogues import Dialogue, read_dialogues, write_dialogues
from heed.features import Features, write_features
from heed.measures import das_ratio, das_summary, dialogue_means
from heed.program import score
from heed.results import Results, read_results
from heed.runs import Run, read_run, read_vocabulary
from heed.safetensors import read_safetensors, write_safetensors
from heed.tables import Columns, to_pandas

__all__ = ["Columns", "DataError", "Dialogue", "Features", "HeedError", "Results", "Run", "__version__",
           "das_ratio", "das_summary", "dialogue_means", "read_dialogues", "read_results", "read_run",
           "read_safetensors", "read_vocabulary", "score", "to_pandas", "write_dialogues", "write_features",
           "write_safetensors"]
