"""Puts the package of python/ first on the path, so that the programs here run from a checkout:
`import package` before `import heed`."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "python"))
