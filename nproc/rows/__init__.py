"""The user's table becomes a matrix and labels, and at predict the same again.

`read_given` reads what has one value a row, with columns by their names and rows with gaps left out, and `read_table`
the rows and labels, once. `check_same_rows` holds what belongs together in one order, `as_table` makes
a pandas frame, an array or CSR of the tables of any library, and `build_design` makes the matrix that a scorer sees, by
the columns or by a formula, with a `Design` that does the same to new rows. `check_labels` makes 0 and 1 of the labels,
0 for the controlled class.
"""

from nproc.rows.beside import GivenRows, column_of, name_in_table, plain_frame, read_given, table_beside, take_column
from nproc.rows.design import NO_GAPS, Design, build_design, check_same_length, read_table
from nproc.rows.formulas import formula_columns
from nproc.rows.frames import (
    Table,
    UnseenCategoriesError,
    as_column,
    as_table,
    counting_unseen,
    is_frame,
    listed,
    refuse_path,
)
from nproc.rows.identifiers import holds_all, n_sharing_owners, owners_told, rows_across, why_identifier
from nproc.rows.keys import (
    KEPT_KEYS,
    copied_rows,
    count_shared,
    has_twin,
    lowest_keys,
    n_rows,
    row_keys,
    take_rows,
    times_among,
)
from nproc.rows.labels import (
    Labels,
    check_labels,
    distinct_labels,
    encode_labels,
    label_array,
    no_class0_beside,
    notes_on_labels_beside,
    one_share_of_class1,
    order_labels,
    share_of_all_rows,
    share_of_class1,
    share_of_right_calls,
    two_names,
    unmixed,
    warn_of_alphabetical_order,
    warn_of_first_label,
)
from nproc.rows.matching import check_returned_rows, check_same_rows
from nproc.rows.spellings import alike_told, categories_alike_told, values_alike
from nproc.rows.types import SIGNS_OF_GAPS, holds_dates

__all__ = [
    "KEPT_KEYS",
    "NO_GAPS",
    "SIGNS_OF_GAPS",
    "Design",
    "GivenRows",
    "Labels",
    "Table",
    "UnseenCategoriesError",
    "alike_told",
    "as_column",
    "as_table",
    "build_design",
    "categories_alike_told",
    "check_labels",
    "check_returned_rows",
    "check_same_length",
    "check_same_rows",
    "column_of",
    "copied_rows",
    "count_shared",
    "counting_unseen",
    "distinct_labels",
    "encode_labels",
    "formula_columns",
    "has_twin",
    "holds_all",
    "holds_dates",
    "is_frame",
    "label_array",
    "listed",
    "lowest_keys",
    "n_rows",
    "n_sharing_owners",
    "name_in_table",
    "no_class0_beside",
    "notes_on_labels_beside",
    "one_share_of_class1",
    "order_labels",
    "owners_told",
    "plain_frame",
    "read_given",
    "read_table",
    "refuse_path",
    "row_keys",
    "rows_across",
    "share_of_all_rows",
    "share_of_class1",
    "share_of_right_calls",
    "table_beside",
    "take_column",
    "take_rows",
    "times_among",
    "two_names",
    "unmixed",
    "values_alike",
    "warn_of_alphabetical_order",
    "warn_of_first_label",
    "why_identifier",
]
