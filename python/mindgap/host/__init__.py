"""The plugin host, and its tools for engines and commands of extension packages.

Its modules, which are private, find plugins, keep their names, build them from specs and check what they return.
These names are public:

- `Fingerprint` checks that two passes over the data read the same points; `CHANGED_ADVICE` says what to do if not.
- `in_order` processes several chunks at once and yields the results in the order of the chunks.
- `label_table` and `parquet_options` write labels as `write_labels` does.
- `write_atomically` writes a file completely or not at all.

Examples
--------
>>> import numpy as np
>>> from mindgap.host import Fingerprint
>>> first, later = Fingerprint.of(np.array([1.0, 2.0]), None), Fingerprint.of(np.array([1.0]), None)
>>> later.difference(first)
'1 points, where the first pass had 2'
"""

from mindgap.foundation.files import write_atomically
from mindgap.foundation.parquet import label_table, parquet_options
from mindgap.model.fingerprint import ADVICE as CHANGED_ADVICE
from mindgap.model.fingerprint import Fingerprint
from mindgap.model.passing import in_order

__all__ = ["CHANGED_ADVICE", "Fingerprint", "in_order", "label_table", "parquet_options", "write_atomically"]
