"""What the erasure of a person does with the columns of data sets: nothing. Their records belong to callers.

Source: docs/reference/erasing.md §3.
"""

from config.personal_columns import Columns, PersonalColumns

COLUMNS = PersonalColumns(
    {
        "datasets.AccessToken": Columns(nothing="prefix token_hash note"),
        "datasets.ChosenColumns": Columns(nothing="names"),
        "datasets.DataGroup": Columns(nothing="name description"),
        "datasets.DataSet": Columns(nothing="auto_ids"),
        "datasets.DataType": Columns(nothing="name description"),
        "datasets.EmptiedStore": Columns(nothing="label"),
        "datasets.FieldSeen": Columns(nothing="name types example"),
        "datasets.Record": Columns(nothing="record_id body"),
        "datasets.RememberedKey": Columns(nothing="key fingerprint"),
        "datasets.WriteError": Columns(nothing="field reason"),
    }
)
