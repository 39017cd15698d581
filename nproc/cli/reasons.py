"""Why a new row gets no prediction, in the words of the column "reason" that the commands and the page write."""

import numpy as np

GAP = "a missing value"
TEXT = "text where the fit has none"
UNSEEN = "a category that no row of the fit has"


def reasons_of_rows(frame, unpredicted):
    """Return for each row of a table why it gets no prediction, with the columns at fault; "" if it gets one.

    `unpredicted` has for each reason a dict of arrays of bool by column, where None stands for a column that is not
    known.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [40, None, 50], "site": ["A", "B", "C"]})
    >>> reasons_of_rows(frame, {GAP: {"age": frame["age"].isna()}, UNSEEN: {"site": frame["site"] == "C"}}).tolist()
    ['', 'a missing value: age', 'a category that no row of the fit has: site = C']
    """
    found = np.full(len(frame), "", dtype=object)
    for reason, columns in unpredicted.items():
        at_fault, texts = np.zeros(len(frame), dtype=bool), np.full(len(frame), "", dtype=object)
        for name, rows in columns.items():
            here = np.flatnonzero(rows)
            at_fault[here] = True
            if name is None:
                continue
            values = str(name)
            if reason != GAP:
                values = np.array([f"{name} = {value}" for value in frame[name].array[here]], dtype=object)
            texts[here] = np.where(texts[here] == "", values, texts[here] + ", " + values)
        found[at_fault] = np.where(texts == "", reason, f"{reason}: " + texts)[at_fault]
    return found
