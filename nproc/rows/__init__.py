"""The user's table becomes a matrix and labels, and at predict the same again.

`as_table` makes a pandas frame, an array or CSR of the tables of any library, `build_design` the matrix that a scorer
sees, by the columns or by a formula, and a `Design` that does the same to new rows. `check_labels` makes 0 and 1 of the
labels, 0 for the controlled class. `check_same_rows` holds what belongs together in one order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from nproc.doors import lazy_names

if TYPE_CHECKING:
    from nproc.rows.design import Design, build_design, check_same_length
    from nproc.rows.frames import as_column, as_table, is_frame, listed, refuse_path
    from nproc.rows.keys import count_shared, has_twin, n_rows, row_keys, take_rows
    from nproc.rows.labels import (
        Labels,
        check_labels,
        distinct_labels,
        encode_labels,
        label_array,
        order_labels,
        unmixed,
        warn_of_alphabetical_order,
        warn_of_first_label,
    )
    from nproc.rows.matching import check_returned_rows, check_same_rows

# imported when they are asked for
_FILES = {
    "Design": "design",
    "Labels": "labels",
    "as_column": "frames",
    "as_table": "frames",
    "build_design": "design",
    "check_labels": "labels",
    "check_returned_rows": "matching",
    "check_same_length": "design",
    "check_same_rows": "matching",
    "count_shared": "keys",
    "distinct_labels": "labels",
    "encode_labels": "labels",
    "has_twin": "keys",
    "is_frame": "frames",
    "label_array": "labels",
    "listed": "frames",
    "n_rows": "keys",
    "order_labels": "labels",
    "refuse_path": "frames",
    "row_keys": "keys",
    "take_rows": "keys",
    "unmixed": "labels",
    "warn_of_alphabetical_order": "labels",
    "warn_of_first_label": "labels",
}

__all__ = [
    "Design",
    "Labels",
    "as_column",
    "as_table",
    "build_design",
    "check_labels",
    "check_returned_rows",
    "check_same_length",
    "check_same_rows",
    "count_shared",
    "distinct_labels",
    "encode_labels",
    "has_twin",
    "is_frame",
    "label_array",
    "listed",
    "n_rows",
    "order_labels",
    "refuse_path",
    "row_keys",
    "take_rows",
    "unmixed",
    "warn_of_alphabetical_order",
    "warn_of_first_label",
]

__getattr__, __dir__ = lazy_names(__name__, _FILES, __all__)
