"""The errors of conditions, selected fields, time zones and comparisons. Source: docs/reference/data-sets.md §11."""

from datasets.errors.queries import InvalidQuery


class ConditionTooLong(InvalidQuery):
    slug = "data-query-condition-long"
    text = "{name} must be at most {limit} characters long."
    fix = "Shorten the condition, for example with `in (…)` instead of several comparisons."


class ConditionTooLarge(InvalidQuery):
    slug = "data-query-condition-large"
    text = "{name} can have at most {limit} comparisons."
    fix = "Use `in (…)` for several values of one field. It counts as one comparison."


class ConditionInvalid(InvalidQuery):
    slug = "data-query-condition"
    text = "{name}, character {position}: {reason}."
    fix = "Correct the condition at this character. Texts and unusual field names have double quotes."


class HavingAlone(InvalidQuery):
    slug = "data-query-having-alone"
    text = "having needs group_by."
    fix = "Add `group_by`, or use `where` for a condition on records."


class SelectGrouped(InvalidQuery):
    slug = "data-query-select-grouped"
    text = "select works only on raw reads, without group_by, period and collect."
    fix = "Leave out `select`. A grouped response has only the fields of the query."


class SelectField(InvalidQuery):
    slug = "data-query-select-field"
    text = "select: not a field that can be selected."
    fix = "Select one of your own fields, `_id`, or a field of time. Write `:` in a name as `\\:`."


class SelectTwice(InvalidQuery):
    slug = "data-query-select-twice"
    text = "select: the same field is given twice."
    fix = "Send each field once."


class TimeZoneUnknown(InvalidQuery):
    slug = "data-query-time-zone"
    text = "time_zone: there is no time zone {name}. Use an IANA name such as Europe/London."
    fix = "Use a name of the IANA time zone database, with capital letters as it writes them."


class TimeZoneRaw(InvalidQuery):
    slug = "data-query-time-zone-raw"
    text = "time_zone needs group_by, period or collect."
    fix = "Leave out `time_zone`. Whole records have their times in UTC."


class ZoneRangeTooLong(InvalidQuery):
    slug = "data-query-time-zone-range"
    text = "time_zone works with ranges of at most {limit} years."
    fix = "Add `start_at` and `end_at` for a shorter range, or leave out `time_zone`."


class CompareUnknown(InvalidQuery):
    slug = "data-query-compare"
    text = "compare must be previous_period or previous_year."
    fix = "Send one of the two values."


class CompareAlone(InvalidQuery):
    slug = "data-query-compare-alone"
    text = "compare needs start_at and end_at, or duration, and one of group_by, period and collect."
    fix = "Add a range and what to group by, or leave out `compare`."


class MovingAlone(InvalidQuery):
    slug = "data-query-moving-alone"
    text = "moving needs period."
    fix = "Add `period`, or leave out `moving`."


class CompareTooEarly(InvalidQuery):
    slug = "data-query-compare-early"
    text = "compare: the earlier range would begin before the year 1."
    fix = "Request a later range."
