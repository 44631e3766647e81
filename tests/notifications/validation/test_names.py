"""The allowed characters of a name, and names that look like another one."""

import pytest

from config.invalid import InvalidValue
from notifications.validation.names import check_name
from notifications.validation.protected import check_not_protected


@pytest.mark.parametrize(
    "name",
    [
        "Parks and Gardens",
        "Llyfrgell Ŵy",
        "Dún Laoghaire",
        "Café  Crème & O'Neill",
        "Straße, Zürich – l'étage (50 %)",
        "½ m² № 4/5 #1 @home",
        "Допомога",
        "Ελληνικά 2026",
        "שלום",
        "می‌خواهم",
        "क्‍ष हिन्दी",
        "北京",
        "Tシャツ課",
        "東京タワーTokyo",
        "서울 Seoul",
        "NHS مرحبا",
        "Parks 🌳 & Lakes",
        "👩‍🚒 Fire, 👍🏽 1️⃣",
        "🏴󠁧󠁢󠁷󠁬󠁳󠁿 Cymru",
    ],
)
def test_a_name_in_one_script_with_accents_digits_signs_and_emoji_is_allowed(name):
    check_name(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("Parks\nGardens", "Enter this on one line, without line breaks."),
        ("Parks\u2028Gardens", "Enter this on one line, without line breaks."),
        ("Parks\tGardens", "U+0009"),
        ("Parks\x7f", "U+007F"),
        ("Parks\u202egro.live", "U+202E (right-to-left override)"),
        ("Parks\u2066", "U+2066 (left-to-right isolate)"),
        ("Parks\u061c", "U+061C"),
        ("Pa\u200brks", "U+200B (zero width space)"),
        ("Pa\u200drks", "U+200D (zero width joiner)"),
        ("Pa\u00adrks", "U+00AD (soft hyphen)"),
        ("\u3164", "U+3164 (hangul filler)"),
        ("Parks\ufeff", "U+FEFF"),
        ("Parks\ue000", "U+E000"),
    ],
)
def test_invisible_characters_are_rejected_and_named(name, reason):
    with pytest.raises(InvalidValue) as refused:
        check_name(name)

    assert reason in str(refused.value)


@pytest.mark.parametrize(
    ("name", "scripts"),
    [
        ("Pаrks", "Cyrillic and Latin"),
        ("НMRC", "Cyrillic and Latin"),
        ("Parks Допомога", "Cyrillic and Latin"),
        ("Parkѕ", "Cyrillic and Latin"),
        ("Tax οffice", "Greek and Latin"),
        ("հome", "Armenian and Latin"),
        ("Parkשs", "Hebrew and Latin"),
        ("ДоΠоΜога", "Cyrillic and Greek"),
    ],
)
def test_look_alike_letters_are_rejected_and_their_scripts_named(name, scripts):
    with pytest.raises(InvalidValue, match=scripts):
        check_name(name)


@pytest.mark.parametrize(
    "name",
    ["HMRC", "hmrc", "H.M.R.C", "HM RC", " hmrc ", "ＨＭＲＣ", "𝐇𝐌𝐑𝐂", "GOV.UK", "GOVUK", "gov-uk", "G0V.UK", "GÓV.UK"],
)
def test_a_name_that_looks_like_a_protected_one_is_for_operators(name):
    with pytest.raises(InvalidValue, match="is a protected name"):
        check_not_protected(name, ["HMRC", "GOV.UK"])


@pytest.mark.parametrize("name", ["HMRC refunds", "MRC", "GOV.UK Pay", "Parks", "---"])
def test_another_name_is_not_protected(name):
    check_not_protected(name, ["HMRC", "GOV.UK"])
