"""Nothing of the program: for whoever types `import heed` in the root of a checkout, where this folder would be a
package without contents. The package is python/heed, and this becomes it."""
import importlib.util
import sys
from pathlib import Path

_package = Path(__file__).resolve().parents[1] / "python" / "heed"
_spec = importlib.util.spec_from_file_location(__name__, _package / "__init__.py", submodule_search_locations=[str(_package)])
sys.modules[__name__] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(sys.modules[__name__])
