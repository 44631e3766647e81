"""The words of charts in English and Welsh."""

from dataclasses import dataclass

from datasets.charts.data import Language


@dataclass(frozen=True, slots=True)
class ChartWords:
    """months, short_months: from January; week: before the first day of a week; to: between the ends of a range"""

    other: str
    target: str
    missing: str
    no_values: str
    week: str
    to: str
    described: str
    starts_at: str
    months: tuple[str, ...]
    short_months: tuple[str, ...]


_ENGLISH = ChartWords(
    other="Other",
    target="Target",
    missing="no value",
    no_values="No values in this range",
    week="Week from",
    to="to",
    described="From {first} to {last}. Lowest value: {low}. Highest value: {high}.",
    starts_at="The vertical axis starts at {low}.",
    months=(
        *("January", "February", "March", "April", "May", "June"),
        *("July", "August", "September", "October", "November", "December"),
    ),
    short_months=("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
)
_WELSH = ChartWords(
    other="Arall",
    target="Targed",
    missing="dim gwerth",
    no_values="Dim gwerthoedd yn yr ystod hon",
    week="Wythnos o",
    to="i",
    described="O {first} i {last}. Gwerth isaf: {low}. Gwerth uchaf: {high}.",
    starts_at="Mae'r echelin fertigol yn dechrau ar {low}.",
    months=(
        *("Ionawr", "Chwefror", "Mawrth", "Ebrill", "Mai", "Mehefin"),
        *("Gorffennaf", "Awst", "Medi", "Hydref", "Tachwedd", "Rhagfyr"),
    ),
    short_months=("Ion", "Chw", "Maw", "Ebr", "Mai", "Meh", "Gor", "Awst", "Medi", "Hyd", "Tach", "Rhag"),
)


def of(language: Language) -> ChartWords:
    return _WELSH if language == "cy" else _ENGLISH
