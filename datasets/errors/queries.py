"""The errors of the parameters of a read. Source: docs/reference/data-sets.md §11."""

from config.rest.api_errors import DataError


class InvalidQuery(DataError):
    """A parameter of a read is wrong."""


class UnknownParameter(InvalidQuery):
    slug = "data-query-unknown"
    text = "Unknown parameter: {name}."
    fix = "Use only the parameters listed for this operation."


class ParameterRepeated(InvalidQuery):
    slug = "data-query-once"
    text = "{name} can be given only once."
    fix = "Send the parameter once."


class ParameterTooOften(InvalidQuery):
    slug = "data-query-often"
    text = "{name} can be given at most {limit} times."
    fix = "Send fewer of them, or split the query into several requests."


class ParameterWithNul(InvalidQuery):
    slug = "data-query-nul"
    text = "{name} contains U+0000."
    fix = "Remove the character U+0000 from the value."


class FormatUnknown(InvalidQuery):
    slug = "data-query-format"
    text = "format must be json, csv or ndjson."
    fix = "Use `json`, `csv` or `ndjson`, or `parquet` for whole records."


class ParquetGrouped(InvalidQuery):
    slug = "data-query-parquet"
    text = "format=parquet works only on raw reads, without group_by and period."
    fix = "Use `format=csv` for groups and periods."


class ParameterNotAMoment(InvalidQuery):
    slug = "data-query-moment"
    text = "{name} must be an ISO 8601 date-time such as 2024-01-01T00:00:00Z."
    fix = "Send a date and a time. Encode `+` as `%2B`."


class StartAlone(InvalidQuery):
    slug = "data-query-start-alone"
    text = "start_at needs end_at or duration."
    fix = "Add `end_at` or `duration`."


class EndAlone(InvalidQuery):
    slug = "data-query-end-alone"
    text = "end_at needs start_at or duration."
    fix = "Add `start_at` or `duration`."


class RangeReversed(InvalidQuery):
    slug = "data-query-range"
    text = "end_at must be later than start_at."
    fix = "Check the order of `start_at` and `end_at`. To read one instant, add `inclusive=true`."


class ParameterNotBoolean(InvalidQuery):
    slug = "data-query-boolean"
    text = "{name} must be true or false."
    fix = "Send `true` or `false` in lower case."


class InclusiveAlone(InvalidQuery):
    slug = "data-query-inclusive"
    text = "inclusive needs start_at and end_at."
    fix = "Add `start_at` and `end_at`, or leave out `inclusive`."


class PeriodUnknown(InvalidQuery):
    slug = "data-query-period"
    text = "period must be one of {periods}."
    fix = "Use one of the periods in the message."


class PeriodAlone(InvalidQuery):
    slug = "data-query-period-alone"
    text = "period needs duration, or start_at and end_at."
    fix = "Add `duration`, or `start_at` and `end_at`."


class ParameterNotANumber(InvalidQuery):
    slug = "data-query-number"
    text = "{name} must be a whole number from {least} to {limit}."
    fix = "Send digits only, in this range."


class DurationAlone(InvalidQuery):
    slug = "data-query-duration-alone"
    text = "duration needs period."
    fix = "Add `period`, for example `period=day`."


class DurationAndRange(InvalidQuery):
    slug = "data-query-duration-and-range"
    text = "duration cannot be used with both start_at and end_at."
    fix = "Leave out `duration`, `start_at` or `end_at`."


class FilterForm(InvalidQuery):
    slug = "data-query-filter-form"
    text = "{name} must be a field name and a value with a colon between them."
    fix = "Write the filter as `field:value`."


class FiltersOfBothKinds(InvalidQuery):
    slug = "data-query-filter-both"
    text = "filter_by and filter_by_prefix cannot be used together."
    fix = "Use `filter_by` or `filter_by_prefix`."


class FilterField(InvalidQuery):
    slug = "data-query-filter-field"
    text = "{name}: not a field that can be filtered on."
    fix = "Filter by one of your own fields or by `_id`."


class FilterMoment(InvalidQuery):
    slug = "data-query-filter-moment"
    text = "filter_by: the value must be a date-time."
    fix = "Send the value in the form `2024-01-01T00:00:00Z`."


class FieldUnknown(InvalidQuery):
    slug = "data-query-field-unknown"
    text = (
        "{parameter}: no record has the field {name}. For comparisons and for conditions on nested objects, use where."
    )
    fix = "Use the name of a field as it is in the records. `group_by` and `collect` also take a path: `geo.country`."


class GroupField(InvalidQuery):
    slug = "data-query-group-field"
    text = "group_by: not a field that can be grouped by."
    fix = "Group by one of your own fields. Write `:` in a name as `\\:`."


class GroupTwice(InvalidQuery):
    slug = "data-query-group-twice"
    text = "group_by: the same field is given twice."
    fix = "Send each field once."


class CollectMethod(InvalidQuery):
    slug = "data-query-collect-method"
    text = "collect: unknown method."
    fix = "Use one of the methods listed for `collect`."


class CollectField(InvalidQuery):
    slug = "data-query-collect-field"
    text = "collect: not a field that can be collected."
    fix = "Collect one of your own fields."


class CollectGrouped(InvalidQuery):
    slug = "data-query-collect-grouped"
    text = "collect: a group_by field cannot be collected."
    fix = "Collect another field."


class SortForm(InvalidQuery):
    slug = "data-query-sort-form"
    text = "sort_by must be a field name and ascending or descending with a colon between them."
    fix = "Write the value as `field:ascending` or `field:descending`."


class SortPeriod(InvalidQuery):
    slug = "data-query-sort-period"
    text = "sort_by with period needs group_by."
    fix = "Leave out `sort_by`. Periods are always in order of time."


class SortTotals(InvalidQuery):
    slug = "data-query-sort-totals"
    text = "sort_by with collect needs group_by."
    fix = "Leave out `sort_by`. Without `group_by`, the response has one row of totals."


class SortField(InvalidQuery):
    slug = "data-query-sort-field"
    text = "sort_by: not a field that can be sorted by."
    fix = "Sort by a key of the rows in the response."


class LimitPeriod(InvalidQuery):
    slug = "data-query-limit-period"
    text = "limit with period needs group_by."
    fix = "Leave out `limit`, or request fewer periods."


class LimitTotals(InvalidQuery):
    slug = "data-query-limit-totals"
    text = "limit with collect needs group_by."
    fix = "Leave out `limit`. Without `group_by`, the response has one row of totals."


class CursorForm(InvalidQuery):
    slug = "data-query-cursor-form"
    text = "cursor works only on raw JSON reads."
    fix = "Leave out `cursor`. Only raw JSON responses have pages."


class CursorForeign(InvalidQuery):
    slug = "data-query-cursor"
    text = "The cursor does not belong to this query."
    cause = "The parameters of the query have changed between two pages, or the cursor was cut."
    fix = "Send the same query that returned this cursor, or start without a cursor."


class SameName(InvalidQuery):
    slug = "data-query-same-name"
    text = "The result would have two different values named {name}."
    fix = "Leave out one of the two."


class FieldNamedValues(InvalidQuery):
    slug = "data-query-values"
    text = "A field named values needs flatten=true with group_by and period."
    fix = "Add `flatten=true`."


class TooManyRows(InvalidQuery):
    slug = "data-query-too-many-rows"
    text = "The result would have more than {limit} rows."
    fix = "Request a shorter range, longer periods or fewer groups."


class QueryTooLarge(InvalidQuery):  # no Retry-After: the same query would fail again
    slug = "data-query-too-large"
    text = "This query takes longer than {seconds} seconds. Ask for a shorter period, fewer groups or fewer values."
    fix = "Ask for less at once. Filters do not make a query faster; a shorter range of time does."


class BeingBuilt(InvalidQuery):
    slug = "data-query-being-built"
    status = 503
    text = (
        "The files that answer this query are being built. Until then it takes too long. "
        "Send it again in about {seconds} seconds, or ask for a shorter period."
    )
    fix = "Send the same request again after the seconds in `Retry-After`."
    retry_after_seconds = 60


class TooManyColumns(InvalidQuery):
    slug = "data-query-too-many-columns"
    text = "The CSV would have more than {limit} columns. Use format=ndjson or format=json, or a shorter range."
    fix = "Use `format=ndjson` or `format=json`. Or choose records with fewer different fields."


class FarFuture(InvalidQuery):
    slug = "data-query-far-future"
    text = "The periods would end after the year 9999."
    fix = "Request an earlier range."
