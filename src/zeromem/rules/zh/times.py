"""Chinese time expressions: the table of patterns `times` runs, each with its reading.

In: a match and the local naive `at`. Out: a `Period` or a `Clock`, or None when the words turn out not to mean
a time. Days that move are in `rules/holidays`.
"""

import re
from collections.abc import Callable
from datetime import datetime

from zeromem.rules import holidays
from zeromem.text import periods
from zeromem.text.periods import DAY, Clock, Period

Match = re.Match[str]
Reading = Callable[[Match, datetime], Period | Clock | None]

_DIGITS = {c: i for i, c in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2, "几": 3, "数": 3}
_YEARS = {"大前年": -3, "前年": -2, "上一年": -1, "去年": -1, "今年": 0, "本年": 0, "明年": 1, "下一年": 1,
          "后年": 2, "大后年": 3}  # fmt: skip
_DAYS = {"大前": -3, "前": -2, "昨": -1, "今": 0, "明": 1, "后": 2, "大后": 3}
_STEPS = {"上上": -2, "上": -1, "这": 0, "本": 0, "当": 0, "今": 0, "下": 1, "下下": 2}
UNITS = {"秒": "second", "分钟": "minute", "小时": "hour", "钟头": "hour", "天": "day", "日": "day", "晚": "day",
          "周": "week", "星期": "week", "礼拜": "week", "月": "month", "季度": "quarter", "年": "year",
          "世纪": "century"}  # fmt: skip
_SEASONS = {"春": "spring", "夏": "summer", "秋": "autumn", "冬": "winter"}
_PARTS = {
    "凌晨": "dawn", "清晨": "morning", "清早": "morning", "一早": "morning", "早上": "morning", "早晨": "morning",
    "晨": "morning", "早": "morning", "上午": "morning", "中午": "noon", "午后": "afternoon", "下午": "afternoon",
    "傍晚": "evening", "晚上": "night", "晚间": "night", "夜里": "night", "夜晚": "night", "深夜": "night",
    "半夜": "night", "午夜": "midnight", "晚": "night", "夜": "night",
}  # fmt: skip
_HOLIDAYS = {"国庆": (10, 1, 7), "十一黄金周": (10, 1, 7), "元旦": (1, 1, 1), "圣诞": (12, 25, 1),
             "平安夜": (12, 24, 1),
             "五一": (5, 1, 5), "劳动节": (5, 1, 5), "情人节": (2, 14, 1), "妇女节": (3, 8, 1), "儿童节": (6, 1, 1),
             "六一": (6, 1, 1), "教师节": (9, 10, 1), "双十一": (11, 11, 1), "双11": (11, 11, 1)}  # fmt: skip
_HAN_NUMBER = "零〇一二两三四五六七八九十百"
# No number may begin inside a longer one: 十万年前 must not be read as 年前, nor 99999年 as 9999年.
_NOT_IN_NUMBER = rf"(?<![\d.{_HAN_NUMBER}千万亿几数多第])"
_COUNT = rf"{_NOT_IN_NUMBER}(?P<n>\d{{1,4}}|[{_HAN_NUMBER}]{{1,5}}|半|几|数)"
_UNIT = r"(?P<unit>秒|分钟|小时|钟头|天|日|晚|周|星期|礼拜|(?<=个)月|(?<=个半)月|季度|年(?![代级轻纪龄])|世纪)"
_YEAR = (r"(?P<year>大前年|前年|去年|今年|本年|明年|大后年|(?<!今)后年|上一年|下一年|(?<![\d.])\d{4}年|"
         r"[一二][零〇一二三四五六七八九]{3}年|(?<!\d)\d{2}年(?=\d{1,2}月))(?!级|代|龄)")  # fmt: skip
_MONTH = rf"(?P<month>{_NOT_IN_NUMBER}(?:1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]))月份?(?![亮饼球光])"
_DAY = r"(?P<day>3[01]|[12]\d|0?[1-9]|三十一?|二十[一二三四五六七八九]?|十[一二三四五六七八九]?|[一二三四五六七八九])"
_THIRD = r"(?P<third>上旬|中旬|下旬|月?初|月?底|月?末|月中)"
_STEP = r"(?P<step>上上|上|这|本|当|下下|下)一?个?"
_WEEK = r"(?:周|星期|礼拜)"
_WEEKDAY = r"(?P<weekday>[一二三四五六日天末])"
_PART = "凌晨|清晨|清早|一早|早上|早晨|上午|中午|午后|下午|傍晚|晚上|晚间|夜里|夜晚|深夜|半夜|午夜"
_HOLIDAY = "|".join(sorted(_HOLIDAYS, key=len, reverse=True)) + "|" + holidays.names(chinese=True)
_NOT_A_DATE = r"(?!楼|线|门|院|店|桌|床|柜|机|口|仓|馆|车|厅|场|坑|站|台|船|房|位|选|文件|员|字|公寓|球|服|码|元|本)"


def number(text: str) -> int:
    """A number up to 9999 in digits or Han numerals (二十三, 二零二三, 两); vague 几 and 数 count as three."""
    if text.isdecimal():
        return int(text)
    if not any(c in "十百千" for c in text):
        return int("".join(str(_DIGITS[c]) for c in text))
    total, digit = 0, 0
    for char in text:
        if char in "十百千":
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[char]
            digit = 0
        else:
            digit = _DIGITS[char]
    return total + digit


def _year_number(text: str, at: datetime) -> int:
    if text in _YEARS:
        return at.year + _YEARS[text]
    year = number(text.removesuffix("年"))
    return year + 2000 if year < 70 and len(text) == 3 else year + 1900 if len(text) == 3 else year


def _where(text: str) -> str:
    return "early" if "初" in text or "上" in text else "mid" if "中" in text else "late"


def _date(m: Match, at: datetime) -> Period | None:
    year = _year_number(m["year"], at) if m["year"] else None
    if m["step"]:
        month = periods.period("month", at, _STEPS[m["step"]])
    elif year is None:
        if m["day"]:
            return periods.recent_day(number(m["month"]), number(m["day"]), at)
        month = periods.recent_month(number(m["month"]), at)
    else:
        month = periods.month_of(year, number(m["month"]))
    if m["day"]:
        return periods.day_of(month.start.year, month.start.month, number(m["day"]))
    return periods.ten_days(month, _where(m["third"])) if m["third"] else month


def _year(m: Match, at: datetime) -> Period | None:
    named = _year_number(m["year"], at)
    if not 1000 <= named <= 2999:
        return None
    year, tail = periods.period("year", datetime(named, 1, 1)), m["tail"] or ""
    if not tail:
        return year
    if tail[0] in _SEASONS:
        return periods.season_of(named, _SEASONS[tail[0]])
    if tail.endswith("季度"):
        return periods.period("quarter", year.start, number(tail[-3]) - 1)
    if tail.endswith("半年"):
        return periods.period("half", year.start, int(tail[0] == "下"))
    return periods.cut(year, _where(tail))


def _year_holiday(m: Match, at: datetime) -> Period | None:
    name, year = m["name"], _year_number(m["year"], at) if m["year"] else None
    if name not in _HOLIDAYS:
        return holidays.period(name, at, year)
    month, day, days = _HOLIDAYS[name]
    start = (periods.recent_day(month, day, at) if year is None else periods.day_of(year, month, day)).start
    return Period(start, start + days * DAY, "day" if days == 1 else "week")


def _lunar_day(m: Match, at: datetime) -> Period | None:
    """正月初五, 农历八月十五: the latest that is not after the text, or that of a year."""
    month = {"正": 1, "冬": 11, "腊": 12}.get(name := m["month"] or m["month2"]) or number(name)
    day = number(m["day"].removeprefix("初").replace("廿", "二十"))
    for year in (_year_number(m["year"], at),) if m["year"] else (at.year, at.year - 1, at.year - 2):
        start = holidays.lunar(year, month, day)
        if start and (m["year"] or start <= at):
            return Period(start, start + DAY, "day")
    return None


def _long_holiday(m: Match, at: datetime) -> Period:
    year = _year_number(m["year"], at) if m["year"] else at.year if at.month >= 7 else at.year - 1
    return Period(datetime(year, 7, 1), datetime(year, 9, 1), "month")


def _half_or_quarter(m: Match, at: datetime) -> Period:
    if m["half"]:
        return periods.period("half", datetime(at.year, 1, 1), int(m["half"] == "下"))
    if m["step"]:
        return periods.period("quarter", at, _STEPS[m["step"]])
    found = periods.period("quarter", datetime(at.year, number(m["q"]) * 3 - 2, 1))
    return found if found.start <= at else periods.period("quarter", found.start, -4)


def _season(m: Match, at: datetime) -> Period:
    year = at.year + _STEPS[m["step"]]
    return periods.season_of(year, _SEASONS[m["season"]])


def _week(m: Match, at: datetime) -> Period:
    week = periods.period("week", at, _STEPS[m["step"]])
    return _weekday_in(week, m["weekday"]) if m["weekday"] else week


def _weekday_in(week: Period, char: str) -> Period:
    if char == "末":
        return periods.period("weekend", week.start)
    return periods.period("day", week.start, 6 if char in "日天" else number(char) - 1)


def _weekday(m: Match, at: datetime) -> Period:
    if m["weekday"] == "末":
        weekend = periods.period("weekend", at)
        return weekend if weekend.start <= at else periods.period("weekend", at, -1)
    found = periods.recent_weekday(6 if m["weekday"] in "日天" else number(m["weekday"]) - 1, at)
    return Period(found.start, found.end, "day", weekday_only=True)


def _day(m: Match, at: datetime) -> Period:
    day = periods.period("day", at, _DAYS[m["day"]])
    return periods.part_of(day, _PARTS[m["part"]]) if m["part"] else day


def _day_of_month(m: Match, at: datetime) -> Period:
    return periods.recent_month_day(int(m["day"]), at)


def _edge(m: Match, at: datetime) -> Period:
    if m["unit"] == "月":
        return periods.ten_days(periods.period("month", at), _where(m["where"]))
    return periods.cut(periods.period("year", at), _where(m["where"]))


def _count(m: Match) -> float:
    return 0.5 if m["n"] == "半" else number(m["n"]) + (0.5 if m["half"] or m["more"] else 0)


def _ago(m: Match, at: datetime) -> Period | None:
    count = _count(m)
    if m["unit"] == "年" and m["way"] == "前" and 1900 <= count <= 2100:
        return None  # 2024年前 is "before 2024", which the year rule reads
    return periods.around(UNITS[m["unit"]], at, -count if m["way"] == "前" else count)


def _window(m: Match, at: datetime) -> Period | None:
    if m["way"] in ("前", "后") and m["unit"] in ("秒", "分钟", "小时", "钟头"):
        return None  # 前10分钟 is the first ten minutes of something
    way = 1 if m["way"] in ("未来", "接下来", "今后", "往后", "后") else -1
    grain, count = UNITS[m["unit"]], _count(m)
    if count % 1:
        edge = periods.around(grain, at, way * count)
        today = periods.period("day", at)
        return Period(min(edge.start, today.start), max(edge.end, today.end), grain)
    return periods.window(grain, at, way * int(count))


def _decade(m: Match, at: datetime) -> Period:
    text = m["decade"]
    if len(text) == 4:
        year = int(text)
    else:
        tens = number(text) if text != "零零" else 0
        early = 1900 if tens >= 30 else 2000
        year = tens + {None: early, "上": 1900, "本": 2000, "二十": 1900, "20": 1900, "21": 2000}[m["century"]]
    return periods.period("decade", datetime(year, 1, 1))


def _century(m: Match, at: datetime) -> Period:
    return periods.period("century", at, _STEPS[m["step"]])


def _clock(m: Match, at: datetime) -> Clock | None:
    part = _PARTS[m["part"]] if m["part"] else None
    hour = periods.hour_in(part, number(m["h"]))
    minute = {"半": 30, "一刻": 15, "三刻": 45}.get(m["m"] or "", -1)
    if minute < 0:
        minute = number(m["m"]) if m["m"] else 0
    if hour > 28 or minute > 59:
        return None
    start = hour * 60 + minute
    # 三点 alone is as often "three points": without 钟, 半, minutes or a part of the day it needs a date beside it.
    sure = bool(part or m["m"] or "钟" in m[0] or "整" in m[0])
    length, grain = (1, "minute") if m["m"] else (60, "hour")
    return Clock(start, start + length, grain, part="clock" if part or hour > 12 else None, alone=sure)


def _part(m: Match, at: datetime) -> Clock:
    return Clock(0, 0, "part", part=_PARTS[m["part"]], alone=False)


_HOUR = rf"{_NOT_IN_NUMBER}(?P<h>2[0-4]|1\d|0?\d|二十[一二三四]?|十[一二三四五六七八九]?|[零一二两三四五六七八九])"
_CLOCK = (rf"{_HOUR}(?:点钟?|时(?=\d|整|半)|：|(?<=\d):(?=\d\d))"
          r"(?:(?P<m>半|一刻|三刻|[0-5]?\d|[二三四五]?十[一二三四五六七八九]?(?=分)|零?[一二三四五六七八九](?=分))分?|整)?"
          r"(?!\d|儿|建议|意见|要求|原因|内容|想法|评|赞|击)")  # fmt: skip
_TAIL = (r"(?P<tail>年?(?:初|底|末|中(?!国|文|华|央|学|心|间|秋|的))|[上下]半年|第?[一二三四1-4]季度|"
         r"[春夏秋冬](?:天|季)?(?!节|游|装|令))")  # fmt: skip

RULES: tuple[tuple[str, Reading], ...] = (
    (rf"(?:{_YEAR}的?\s?)?(?:{_MONTH}|{_STEP}月份?)(?:的?\s?(?:{_DAY}(?:日|号{_NOT_A_DATE})|{_THIRD}))?", _date),
    (rf"(?:{_YEAR}的?\s?)?(?P<name>{_HOLIDAY})(?:节|期间)?(?![{_HAN_NUMBER}\d粥蒜])", _year_holiday),
    (rf"(?:{_YEAR}的?\s?)?(?:(?:农历|阴历)的?(?P<month>正|冬|腊|十[一二]?|[一二三四五六七八九])|(?P<month2>[正腊]))月"
     r"(?P<day>初[一二三四五六七八九十]|三十|[二廿]十?[一二三四五六七八九]?|十[一二三四五六七八九]?)", _lunar_day),
    (rf"(?:{_YEAR}的?\s?)?暑假(?:期间)?", _long_holiday),
    (rf"{_YEAR}(?:的?\s?{_TAIL})?", _year),
    (rf"(?:{_STEP}|(?<![\d年])第(?P<q>[一二三四1-4])个?)季度|(?<!年)(?P<half>[上下])半年", _half_or_quarter),
    (rf"{_STEP}(?P<season>[春夏秋冬])[天季]", _season),
    (rf"{_STEP}{_WEEK}{_WEEKDAY}?", _week),
    (rf"(?<![每{_HAN_NUMBER}几数半\d]){_WEEK}{_WEEKDAY}(?![年转])", _weekday),
    (r"(?<![以之月周星期\d])(?P<day>大前|前|昨|今|明|大后|(?<!今)后)(?:天|(?<=[昨今明])[日儿])(?P<part>)(?![气空])",
     _day),
    (r"(?<![以之目])(?P<day>前|昨|今|明|后)(?P<part>晚上?|夜里?|早上?|晨)(?![安期])", _day),
    (rf"(?<![\d.:月第A-Za-z#-])(?P<day>3[01]|[12]\d|[1-9])(?:日(?![元本均])|号{_NOT_A_DATE})", _day_of_month),
    (r"(?<![月年个半])(?P<unit>[月年])(?P<where>初|中旬|底|末)", _edge),
    (rf"{_COUNT}多?个?(?P<half>半)?个?{_UNIT}(?P<more>半)?[之以]?(?P<way>前|后)(?![辈台面者])", _ago),
    (rf"(?P<way>过去|最近|近|前(?!一)|未来|接下来|今后|往后|后(?!一))的?这?(?P<n>\d{{1,4}}|[{_HAN_NUMBER}]{{1,5}}|半|几)多?个?"
     rf"(?P<half>半)?个?{_UNIT}(?P<more>半)?(?![前后])", _window),
    (r"(?:(?P<century>上|本|二十|20|21)世纪的?)?(?<!\d)(?P<decade>(?:1[5-9]|20)\d0|[2-9]0|[二三四五六七八九]十|零零)年代",
     _decade),
    (r"(?P<step>上|本)个?世纪", _century),
    (rf"(?P<part>{_PART}|早|晚)的?\s?{_CLOCK}", _clock),
    (rf"(?P<part>){_CLOCK}", _clock),
    (rf"(?P<part>{_PART})(?![好安])", _part),
)  # fmt: skip

# A text with none of these characters cannot match any rule above.
CUES = frozenset(
    "至立清端阳腊谷惊芒处暑寒霜秋亲假年月日号天周期拜昨今明晚夜早晨午季世时点前后节庆元圣平春过五六双除夕凌"
)
