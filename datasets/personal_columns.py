"""What the search for mentions of a person does with the columns of data sets: nothing, except for reasons of staff.

Records of data sets that are marked as personal are found and deleted by `datasets.store.one_person`.

Source: docs/reference/erasing.md §3.
"""

from config.personal_columns import PersonalColumns, TextColumns

COLUMNS = PersonalColumns(
    {
        "datasets.AccessToken": TextColumns(nothing="prefix token_hash note services"),
        "datasets.Alarm": TextColumns(staff="email_addresses phone_numbers", nothing="name share message"),
        "datasets.AlarmMessage": TextColumns(staff="recipient", nothing="channel subject text"),
        "datasets.ChosenColumns": TextColumns(nothing="names"),
        "datasets.Dashboard": TextColumns(
            nothing=(
                "slug title title_cy summary summary_cy link_token filter_field filter_values embed_hosts opened_sets"
                " opened_parts"
            )
        ),
        "datasets.DataImport": TextColumns(
            staff="label", nothing="encrypted_details encrypted_key error file_name given holder settings"
        ),
        "datasets.DataGroup": TextColumns(nothing="name description"),
        "datasets.DataSetSchema": TextColumns(nothing="given learned"),
        "datasets.DataSet": TextColumns(nothing="auto_ids description licence contact units"),
        "datasets.DataType": TextColumns(nothing="name description"),
        "datasets.EmptiedStore": TextColumns(nothing="label"),
        "datasets.FieldDrift": TextColumns(nothing="field"),
        "datasets.FieldSeen": TextColumns(nothing="name types example"),
        "datasets.QueryToken": TextColumns(nothing="prefix token_hash"),
        "datasets.KeptValue": TextColumns(staff="by", text="reason", nothing="record_hash encrypted_value"),
        "datasets.Record": TextColumns(nothing="record_id body"),
        "datasets.SavedQuery": TextColumns(nothing="public_id name description question unit services"),
        "datasets.Segment": TextColumns(nothing="file columns"),
        "datasets.StoredAnswer": TextColumns(nothing="asked state answer"),
        "datasets.Tile": TextColumns(nothing="title title_cy text text_cy"),
        "datasets.RejectedRecord": TextColumns(nothing="by encrypted_content"),
        "datasets.SavedImportSettings": TextColumns(nothing="name settings"),
        "datasets.RememberedKey": TextColumns(nothing="key fingerprint"),
        "datasets.WriteError": TextColumns(nothing="field reason"),
    }
)
