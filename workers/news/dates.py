"""Dates as providers and feeds write them: ISO 8601, RFC 822, and what people write in other languages."""

# ruff: noqa: RUF001
from __future__ import annotations

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

# The names of months, in full and shortened, as far as they differ from the English ones: in Italian, French, Spanish,
# Portuguese, German, Dutch, Polish, the Nordic languages, Finnish, Czech, Romanian, Turkish, Russian, Ukrainian, Greek
# and Arabic.
_MONTHS = {
    "Jan": "january gennaio gen janvier janv enero ene janeiro januar jänner januari stycznia sty tammikuuta ledna led "
    "ianuarie ian ocak oca января янв січня січ ιανουαρίου ιαν يناير",
    "Feb": "february febbraio feb février févr fev febrero fevereiro februar februari lutego lut helmikuuta února úno "
    "februarie şubat şub февраля фев февр лютого лют φεβρουαρίου φεβ فبراير",
    "Mar": "march marzo mars março märz maart mrt mar marca maaliskuuta března bře martie mart марта мар березня бер "
    "μαρτίου μαρ مارس",
    "Apr": "april aprile apr avril avr abril abr kwietnia kwi huhtikuuta dubna dub aprilie nisan nis апреля апр квітня "
    "кві квіт απριλίου απρ أبريل",
    "May": "may maggio mag mai mayo maio mei maja maj toukokuuta května kvě mayıs мая май травня тра трав μαΐου μαϊ "
    "μαι مايو",
    "Jun": "june giugno giu juin junio junho juni jun czerwca cze kesäkuuta června čvn iunie iun haziran haz июня июн "
    "червня чер черв ιουνίου ιουν يونيو",
    "Jul": "july luglio lug juillet juil julio julho juli jul lipca lip heinäkuuta července čvc iulie iul temmuz tem "
    "июля июл липня лип ιουλίου ιουλ يوليو",
    "Aug": "august agosto ago août aout aug augustus augusti sierpnia sie elokuuta srpna srp ağustos ağu августа авг "
    "серпня сер серп αυγούστου αυγ αύγ أغسطس",
    "Sep": "september settembre set septembre sept septiembre setembro sep września wrz syyskuuta září zář septembrie "
    "eylül eyl сентября сен сент вересня вер верес σεπτεμβρίου σεπ سبتمبر",
    "Oct": "october ottobre ott octobre oct octubre outubro out oktober okt października paź lokakuuta října říj "
    "octombrie ekim eki октября окт жовтня жов жовт οκτωβρίου οκτ أكتوبر",
    "Nov": "november novembre nov noviembre novembro listopada lis marraskuuta listopadu noiembrie kasım kas ноября "
    "ноя нояб листопада лист νοεμβρίου νοε نوفمبر",
    "Dec": "december dicembre dic décembre déc dec diciembre dezembro dez dezember grudnia gru joulukuuta prosince pro "
    "decembrie aralık ara декабря дек грудня гру груд δεκεμβρίου δεκ ديسمبر",
}
_MONTH_OF = {word: month for month, words in _MONTHS.items() for word in [month.lower(), *words.split()]}
_NUMBERS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_MONTH_OF |= {f"{number}{mark}": month for number, month in enumerate(_NUMBERS, 1) for mark in "月월"}
_EARLIEST, _LATEST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2200, 1, 1, tzinfo=UTC)
_EAST_ASIAN = re.compile(
    r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]?[^\d]{0,20}?(上午|下午|午前|午後|오전|오후)?\s?"
    r"(?:(\d{1,2})\s?[:时時시]\s?(\d{2})\s?(?:[:分분]\s?(\d{2})?\s?秒?초?)?)?\s*([+-]\d\d:?\d\d)?"
)
_NUMERIC = re.compile(r"(\d{1,2})([./]) ?(\d{1,2})\2 ?(\d{4})[\s,]*(.{0,40})")
_YEAR_FIRST = re.compile(r"(\d{4})([./-])(\d{1,2})\2(\d{1,2})\.?(?:[\s,]+|T|$)(.{0,40})")
_DAY_OF_YEAR, _SECONDS = re.compile(r"\d{4}-\d{3}"), re.compile(r"1\d{9}|1\d{12}")
_HYPHENS = re.compile(r"(\d{1,2})-([^\W\d]{3,12})-(\d{2,4})\b")
_ZONE_BY_NAME = re.compile(r"\[[\w/+-]{1,40}\]$")
_OFFSET = re.compile(r"\b(?:GMT|UTC) ?([+-])(\d{1,2}):?(\d{2})?$")
# Beside the American ones, which RFC 822 names. Names that mean several zones are left out.
_ZONES = {
    "WEST": "+0100", "BST": "+0100", "CET": "+0100", "MEZ": "+0100", "CEST": "+0200", "MESZ": "+0200", "EET": "+0200",
    "SAST": "+0200", "EEST": "+0300", "MSK": "+0300", "TRT": "+0300", "PKT": "+0500", "WIB": "+0700", "HKT": "+0800",
    "SGT": "+0800", "AWST": "+0800", "JST": "+0900", "KST": "+0900", "AEST": "+1000", "AEDT": "+1100", "NZST": "+1200",
    "NZDT": "+1300", "BRT": "-0300", "ART": "-0300", "AKST": "-0900", "AKDT": "-0800", "HST": "-1000",
}  # fmt: skip
_AFTERNOON = ("下午", "午後", "오후")
_TIME = re.compile(r"(\d{1,2})[:.h](\d{2})(?:[:.](\d{2})(?:[.,]\d+)?)?")
_HALF = re.compile(r"([ap])\.?m\.?", re.IGNORECASE)
_YEAR, _DAY = re.compile(r"\d{2}|\d{4}"), re.compile(r"(\d{1,2})(?:st|nd|rd|th|er|e|[.ºªo])?")
# Words that people put between the parts of a date.
_BETWEEN = frozenset(
    {
        "de", "del", "di", "do", "da", "of", "at", "um", "à", "a", "las", "às", "alle", "kl", "kl.", "klo", "den", "le",
        "the", "г.", "г", "року", "р.", "uhr", "-", "–",
    }
)  # fmt: skip


def moment_of(value: Any) -> datetime | None:
    """The moment that a date names; None if it can't be parsed, which is better than a wrong one."""
    if not isinstance(value, str) or not value.strip():
        return None
    text = _ZONE_BY_NAME.sub("", value.strip()[:80])
    try:
        at = _by_one_number(text) or datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        text = _HYPHENS.sub(r"\1 \2 \3", _with_offset(text))
        try:
            at = parsedate_to_datetime(_east_asian(text) or _by_numbers(text) or _in_english(text) or "")
        except (TypeError, ValueError, IndexError):
            return None
    try:
        at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except (OverflowError, ValueError):
        return None
    return at if _EARLIEST <= at <= _LATEST else None


def _by_one_number(text: str) -> datetime | None:
    """The day of a year (2026-124), or seconds or milliseconds since 1970."""
    if _DAY_OF_YEAR.fullmatch(text):
        return datetime.strptime(text, "%Y-%j").replace(tzinfo=UTC)
    if _SECONDS.fullmatch(text):
        return datetime.fromtimestamp(int(text) / (1000 if len(text) == 13 else 1), UTC)
    return None


def _with_offset(text: str) -> str:
    """CEST and GMT+2 as numbers; a second that was put in (:60) as the one before it."""
    text = _OFFSET.sub(lambda found: f"{found[1]}{int(found[2]):02}{found[3] or '00'}", text).replace(":60", ":59")
    rest, _, zone = text.rpartition(" ")
    return f"{rest} {_ZONES[zone]}" if zone in _ZONES else text


def _east_asian(text: str) -> str | None:
    """2026年5月4日 下午3:05, by RFC 822."""
    found = _EAST_ASIAN.fullmatch(text)
    if found is None or not 1 <= int(found[2]) <= 12:
        return None
    hour = int(found[5] or 0)
    if found[4]:
        hour = hour % 12 + (12 if found[4] in _AFTERNOON else 0)
    time = f"{hour:02}:{found[6] or '00'}:{found[7] or '00'}"
    return f"{found[3]} {_NUMBERS[int(found[2]) - 1]} {found[1]} {time} {(found[8] or '+0000').replace(':', '')}"


def _by_numbers(text: str) -> str | None:
    """2026/05/04, 2026-05-04 10:00 UTC, 04.05.2026 10:00; with slashes and the year behind, only where a number
    above 12 tells the day."""
    if found := _YEAR_FIRST.fullmatch(text):
        year, day, month = found[1], int(found[4]), int(found[3])
    elif found := _NUMERIC.fullmatch(text):
        year, day, month = found[4], int(found[1]), int(found[3])
        if found[2] == "/" and day <= 12:
            day, month = (month, day) if month > 12 else (0, 0)
    else:
        return None
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return None
    rest = _time(found[5].split())
    return None if rest is None else f"{day} {_NUMBERS[month - 1]} {year} {rest}"


def _in_english(text: str) -> str | None:
    """A date with a month's name, by RFC 822; None where its parts are not plain."""
    words = [word for word in re.split(r"[\s,]+", text) if word and word.lower() not in _BETWEEN]
    place = _month_at(words)
    if place is None:
        return text if text.isascii() and not _HALF.search(text) else None
    after = words[place + 1 :]
    day = _DAY.fullmatch(words[place - 1]) if place else None
    if day is None:
        day, after = _DAY.fullmatch(after[0]), after[1:]
    year = after[0].rstrip(".") if after else ""
    rest = _time(after[1:]) if _YEAR.fullmatch(year) else None
    return f"{day[1]} {_MONTH_OF[_key(words[place])]} {year} {rest}" if day is not None and rest is not None else None


def _month_at(words: list[str]) -> int | None:
    """The month stands beside its day: mar is a Tuesday in some languages, and a month in others."""
    named = [place for place, word in enumerate(words) if _key(word) in _MONTH_OF]
    behind = [place for place in named if place and _DAY.fullmatch(words[place - 1])]
    in_front = [
        place
        for place in named
        if place + 2 < len(words) and _DAY.fullmatch(words[place + 1]) and _YEAR.fullmatch(words[place + 2])
    ]
    return next(iter(behind + in_front), None)


def _key(word: str) -> str:
    return word.strip(".").lower()


def _time(words: list[str]) -> str | None:
    """Hour, minute and zone behind a date; a date alone is its first moment."""
    if not words:
        return "00:00:00"
    found = _TIME.fullmatch(words[0]) or _TIME.fullmatch(_HALF.sub("", words[0]))
    if found is None:
        return " ".join(["00:00:00", *words]) if re.fullmatch(r"[A-Z]{1,5}|[+-]\d\d:?\d\d", words[0]) else None
    hour, rest = int(found[1]), words[1:]
    half = _HALF.search(words[0]) or (_HALF.fullmatch(rest[0]) if rest else None)
    if half:
        hour = hour % 12 + (12 if half[1].lower() == "p" else 0)
        rest = rest[1:] if rest and _HALF.fullmatch(rest[0]) else rest
    zone = rest[0].replace(":", "") if rest and re.fullmatch(r"[+-]\d\d:\d\d", rest[0]) else (rest[0] if rest else "")
    return f"{hour:02}:{found[2]}:{found[3] or '00'} {zone}".strip()
