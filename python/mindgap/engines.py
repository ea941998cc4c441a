"""What engines and commands of extension packages share with mindgap's own: passes over data, and files of results.

A fit reads its data several times. `Fingerprint` tells whether each pass saw the same points, and `CHANGED_ADVICE` says
what to do if not; `in_order` works on several chunks at once and yields what came of them in their order.
`label_table` and `parquet_options` write labels as `write_labels` does, and `write_atomically` leaves no half-written
file behind.

Examples
--------
>>> import numpy as np
>>> from mindgap.engines import Fingerprint
>>> first, later = Fingerprint.of(np.array([1.0, 2.0]), None), Fingerprint.of(np.array([1.0]), None)
>>> later.difference(first)
'1 points, where the first pass had 2'
"""

from mindgap.foundation.files import write_atomically
from mindgap.model.fingerprint import ADVICE as CHANGED_ADVICE
from mindgap.model.fingerprint import Fingerprint
from mindgap.model.passing import in_order
from mindgap.results.label_files import table_of as label_table
from mindgap.results.label_files import writing as parquet_options

__all__ = ["CHANGED_ADVICE", "Fingerprint", "in_order", "label_table", "parquet_options", "write_atomically"]
