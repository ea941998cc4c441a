"""Heights of US high-school students by grade, from the 2010 National Youth Physical Activity and Nutrition Study.

The counts (Centers for Disease Control and Prevention, public domain) are those behind the paper's table: 9980
students, heights recorded to the inch.
"""

from __future__ import annotations

import numpy as np

from mindgap.datasets.labelled import Labelled

#: The paper's bounds on the gaps between the mean heights of grades 9 to 12, in metres.
NYPANS_LOWER = (0.019023, 0.00895, 0.00154)
NYPANS_UPPER = (0.029023, 0.01895, 0.01154)


def nypans_heights() -> Labelled:
    """Return the heights in metres of 9980 students, and their grade as 0 (grade 9) to 3 (grade 12).

    Examples
    --------
    >>> heights = mg.datasets.nypans_heights()
    >>> len(heights.values), heights.means().round(3).tolist()
    (9980, [1.657, 1.674, 1.687, 1.694])
    """
    from importlib.resources import files  # slow to import and rarely needed

    text = files("mindgap.datasets").joinpath("nypans_2010_height_by_grade.csv").read_text(encoding="utf-8")
    rows = np.array([[float(cell) for cell in line.split(",")] for line in text.splitlines()[1:]])
    heights, counts = rows[:, 0], rows[:, 1:].astype(np.int64)
    values = np.concatenate([np.repeat(heights, counts[:, grade]) for grade in range(4)])
    return Labelled(values, np.repeat(np.arange(4), counts.sum(axis=0)))
