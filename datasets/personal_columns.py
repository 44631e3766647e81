"""What the erasure of a person does with the columns of data sets: nothing. Their records belong to callers.

Source: docs/reference/erasing.md §3.
"""

from config.personal_columns import PersonalColumns, TextColumns

COLUMNS = PersonalColumns(
    {
        "datasets.AccessToken": TextColumns(nothing="prefix token_hash note"),
        "datasets.ChosenColumns": TextColumns(nothing="names"),
        "datasets.DataGroup": TextColumns(nothing="name description"),
        "datasets.DataSet": TextColumns(nothing="auto_ids description licence contact units"),
        "datasets.DataType": TextColumns(nothing="name description"),
        "datasets.EmptiedStore": TextColumns(nothing="label"),
        "datasets.FieldSeen": TextColumns(nothing="name types example"),
        "datasets.Record": TextColumns(nothing="record_id body"),
        "datasets.Segment": TextColumns(nothing="file columns"),
        "datasets.RememberedKey": TextColumns(nothing="key fingerprint"),
        "datasets.WriteError": TextColumns(nothing="field reason"),
    }
)
