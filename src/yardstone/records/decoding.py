"""Bytes of unknown encoding to clean text, SGF's own character sets and escapes included.

SGF claims a character set in each record, often a wrong one: `find_charset` tells by the
claim and the bytes which it is. UTF-8 can be told by its form, the others by what the text
would be: characters that names, ranks and results are made of, or rare ones.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain, repeat
from typing import Any

#: What has more digits is no number of a player, a round or a year.
_MOST_DIGITS = 9

#: Categories of characters that could spoil a terminal: control characters and
#: separators of lines; and the marks that turn the direction of writing.
_CATEGORIES = frozenset({"Cc", "Zl", "Zp", "Cs"})
_DIRECTION_MARKS = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def decode(data: bytes) -> str:
    """UTF-8, and where it is none Windows-1252 (which contains Latin-1).

    Examples:
        >>> decode("Müller".encode()), decode("Müller".encode("latin-1"))
        ('Müller', 'Müller')
        >>> decode("Jürgen, ".encode() + "Müller".encode("latin-1"))
        'Jürgen, Müller'
    """
    return data.decode("utf-8", "yardstone.western")


def _western(error: UnicodeError) -> tuple[str, int]:
    """Return what the bytes say that are no UTF-8, and where to go on."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    data = error.object[error.start : error.end]
    try:
        return data.decode("cp1252"), error.end
    except UnicodeDecodeError:
        return data.decode("latin-1"), error.end


codecs.register_error("yardstone.western", _western)


def clean(text: str) -> str:
    r"""The text without blanks around it; control characters become blanks.

    A letter with its accent is one character (NFC), however it was written.

    Examples:
        >>> clean(" Ann\tLee\x1b[31m "), len(clean("Jose\u0301"))
        ('Ann Lee [31m', 4)
    """
    if not text.isprintable():
        text = "".join(
            " "
            if unicodedata.category(character) in _CATEGORIES or character in _DIRECTION_MARKS
            else character
            for character in text
        )
    return unicodedata.normalize("NFC", text).strip()


#: The cell of a table that `escape_cell` wrote with an apostrophe before it.
ESCAPED_CELL = "^'('*[-=+@\t\r])"
_FORMULA, _SUSPECT = re.compile("'*[-=+@\t\r]"), frozenset("'-=+@\t\r")
#: Numbers, and signs alone, which stand for colours and results.
_HARMLESS = re.compile(r"[-+]?(\d++\.?\d*+|\.\d++)([eE][-+]?\d++)?%?|[-+=][-+=:/ ]*+")


def escape_cell(value: Any) -> Any:
    """Return a cell of a table such that no spreadsheet takes it for a formula.

    A text that begins as a formula does gets an apostrophe before it, which `plain_cell` takes
    off again; so does one that begins with apostrophes and then a formula, so that every text
    comes back as it was. Numbers and signs alone stay, as does what is no text.

    Examples:
        >>> escape_cell("=HYPERLINK(1)"), escape_cell("'=1"), escape_cell("-1.5"), escape_cell("+-")
        ("'=HYPERLINK(1)", "''=1", '-1.5', '+-')
    """
    if isinstance(value, str) and value[:1] in _SUSPECT and _FORMULA.match(value):
        return value if _HARMLESS.fullmatch(value) else f"'{value}"
    return value


def plain_cell(text: str) -> str:
    """Return the text of a cell that `escape_cell` may have written.

    Examples:
        >>> plain_cell("'=HYPERLINK(1)"), plain_cell("''=1"), plain_cell("'t Hooft")
        ('=HYPERLINK(1)', "'=1", "'t Hooft")
    """
    return re.sub(ESCAPED_CELL, r"\1", text)


#: Rows of a table that are written together.
_ROWS = 4096


def csv_lines(header: Iterable[Any], rows: Iterable[Iterable[Any]]) -> Iterator[str]:
    """A table as CSV, some rows at a time, its cells as `escape_cell` writes them."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    for number, row in enumerate(chain([header], rows)):
        writer.writerow([escape_cell(cell) if isinstance(cell, str) else cell for cell in row])
        if number % _ROWS == 0 and number:
            yield out.getvalue()
            out.seek(0)
            out.truncate()
    yield out.getvalue()


def whole_number(text: str) -> int | None:
    """The number from 0 on that up to nine digits write, or None.

    Examples:
        >>> whole_number(" 007 "), whole_number("-1"), whole_number("9" * 5000)
        (7, None, None)
    """
    digits = text.strip()
    return int(digits) if digits.isdecimal() and len(digits) <= _MOST_DIGITS else None


def finite_number(text: str, *, below: float) -> float | None:
    """The number that a text writes, of an absolute value under `below`, or None.

    Examples:
        >>> [finite_number(text, below=10) for text in ("-1.5", "nan", "1e9")]
        [-1.5, None, None]
    """
    try:
        number = float(text)
    except ValueError:
        return None
    return number if abs(number) < below else None


_ESCAPES = re.compile(r"\\(?:\r\n|\n\r|\n|\r|(.))", re.DOTALL)
_BLANKS = str.maketrans({"\t": " ", "\v": " ", "\f": " "})
_SPECIAL = re.compile(r"([\\\]])")


def unescaped(text: str) -> str:
    r"""The text that a value stands for.

    A backslash takes the meaning from the next character; before a line break both
    are left out. Line breaks become ``\n``, other white space becomes blanks.

    Examples:
        >>> unescaped("a\\]b\\\\c\\\nd\r\ne\tf")
        'a]b\\cd\ne f'
    """
    if "\\" in text:
        text = _ESCAPES.sub(r"\1", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\n\r", "\n").replace("\r", "\n")
    return text.translate(_BLANKS) if "\t" in text or "\v" in text or "\f" in text else text


def plain_text(data: bytes) -> str:
    """The text of a value in UTF-8; bytes that are none become U+FFFD."""
    text = data.decode("utf-8", "replace")
    return text if text.isprintable() and "\\" not in text else unescaped(text)


def escaped(text: str) -> str:
    r"""The text as a value.

    Examples:
        >>> print(escaped("a]b"))
        a\]b
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n").translate(_BLANKS)
    return _SPECIAL.sub(r"\\\1", text)


#: The encodings that are tried, each with the names for it that records use.
_NAMES = {
    "gb18030": "gb2312 gbk gb18030 cp936 ms936 x-gbk euc-cn euccn gb-2312 gb_2312-80 936",
    "big5hkscs": "big5 big-5 cp950 ms950 big5-hkscs big5hkscs 950",
    "cp932": "shift_jis shift-jis sjis x-sjis ms932 cp932 windows-31j shiftjis s-jis 932",
    "cp949": "euc-kr euckr ks_c_5601-1987 ksc5601 cp949 ms949 uhc korean windows-949 ks_c_5601",
    "euc_jp": "euc-jp eucjp euc_jp x-euc-jp ujis",
    "iso2022_jp": "iso-2022-jp iso2022-jp iso2022jp jis",
    "utf-8": "utf-8 utf8 utf_8 unicode utf-8-bom",
    "cp1252": "iso-8859-1 iso8859-1 latin-1 latin1 windows-1252 cp1252 ansi us-ascii ascii 1252",
}
_ENCODINGS = {name: encoding for encoding, names in _NAMES.items() for name in names.split()}
#: Programs write these whatever the text is in.
_EMPTY_CLAIMS = frozenset({"cp1252", "utf-8"})

_CHINESE = (
    "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可里后小么心多天而能好都然没日于起还发成"
    "段级围棋黑白胜负中盘目半认输超时让先贴杯赛名战本因坊圣元王位决第届局轮对阵预选职业业余联挑战友谊快农心应氏三星春兰富士通"
    "王李张刘陈杨黄赵周吴徐孙朱马胡郭林何高梁郑罗宋谢唐韩曹许邓萧冯曾程蔡彭潘袁于董余苏叶吕魏蒋田杜丁沈姜范江傅钟卢汪戴崔任陆廖姚方金邱夏谭韦贾邹石熊孟秦阎薛侯雷白龙段郝孔邵史毛常万顾赖武康贺严尹钱施牛洪龚汤陶黎温莫易樊乔文安古柯时连"
    "风云雨雪月花山水火木土星空海河江湖剑侠仙神魔鬼狂飞天地龙虎凤鹰狼猫狗鱼鸟红蓝绿青紫黑白金银铁石玉心情爱恨梦影光明暗夜日新老少无敌高手棋士客君子小大"
)
_TRADITIONAL = (
    "的一是不了人我在有他這中大來上國個到說們為子和你地出道也時年得就那要下以生會自著去之過家學對可里後小麼心多天而能好都然沒日於起還發成"
    "段級圍棋黑白勝負中盤目半認輸超時讓先貼杯賽名戰本因坊聖元王位決第屆局輪對陣預選職業餘聯挑戰友誼快農應氏三星富士通"
    "王李張劉陳楊黃趙周吳徐孫朱馬胡郭林何高梁鄭羅宋謝唐韓曹許鄧蕭馮曾程蔡彭潘袁于董余蘇葉呂魏蔣田杜丁沈姜范江傅鍾盧汪戴崔任陸廖姚方金邱夏譚韋賈鄒石熊孟秦薛侯雷白龍段郝孔邵史毛常萬顧賴武康賀嚴尹錢施牛洪龔湯陶黎溫莫易喬文安古柯連"
    "風雲雨雪月花山水火木土星空海河江湖劍俠仙神魔鬼狂飛天地龍虎鳳鷹狼貓狗魚鳥紅藍綠青紫金銀鐵玉心情愛恨夢影光明暗夜新老少無敵手士客君小"
)
_JAPANESE = (
    "段級碁黒白勝負中押目半時間切先互杯戦名人本因坊聖棋院十天元王座第期局回予選決勝挑戦手合大会新人公式日本関西総"
    "井上山田小林木村高橋藤加佐々吉山本中川石張栩羽根直樹依紀趙治勲武宮正樹大竹英雄坂倉河野臨結城聡今村俊也王立誠片岡淡路修三工藤柳時熏伊瀬小県光永趙善津一力遼芝虎丸許家元余正麒平智裕謝依旻向千瑛佳"
    "口島松原岡崎野谷橋渡辺清長前後西東北南森池内外秋春夏冬金青赤水土"
)
_KOREAN = (
    "김이박최정강조윤장임한오서신권황안송류전홍고문양손배백허유남심노하곽성차주우구민진나지엄채원천방공현함변염여추도소석선설마길연위표명기반왕금옥육인맹제모탁국"
    "세돌창호훈현철한영승준환동윤태규병상범수형재용목일웅홍건덕욱찬희경은미혜림봉열식종택욱렬"
    "단급흑백승불계패집반시간무승부대국프로아마기전배결승본선예선리그대회제국명인왕위결정바둑전"
    "의가이은는을를에다로고하지도자사스아나라어리해기대그인수부들서만정보주과한소유장비상구조"
)
_COMMON = {
    "gb18030": frozenset(_CHINESE),
    "big5hkscs": frozenset(_TRADITIONAL),
    "cp932": frozenset(_JAPANESE),
    "euc_jp": frozenset(_JAPANESE),
    "cp949": frozenset(_KOREAN),
}
_SAMPLE = 1 << 14
_MOST = 1 << 20
_HIGH = re.compile(rb"[^\x00-\x7f]")
_CA = re.compile(rb"[Cc][a-z]*[Aa][a-z]*\s*\[([^\]]{1,40})\]")
#: The head of a game in which it claims its set.
_HEAD = 4096


def known_charset(name: str) -> str | None:
    """Python's name of the encoding that a record calls so; None if it is not known.

    Examples:
        >>> known_charset("GB2312"), known_charset("Shift_JIS"), known_charset("klingon")
        ('gb18030', 'cp932', None)
    """
    plain = name.strip().lower().replace(" ", "")
    if plain in _ENCODINGS:
        return _ENCODINGS[plain]
    try:
        codec = codecs.lookup(plain)
    except (LookupError, ValueError):
        return None
    text = getattr(codec, "_is_text_encoding", False) and not codec.name.startswith(
        ("utf-16", "utf-32", "utf-7", "idna", "punycode", "raw", "unicode", "undefined")
    )
    return codec.name if text else None


def find_charset(data: bytes) -> str:
    """The encoding of one game's bytes.

    Text that is UTF-8 is nothing else. Otherwise the set that the game claims in CA
    must be able to hold it and must not make less sense than another.

    Examples:
        >>> find_charset("(;PB[古力]PW[李世石])".encode("gbk"))
        'gb18030'
        >>> find_charset("(;CA[ISO-8859-1]PB[이세돌]PW[박정환])".encode("euc-kr"))
        'cp949'
    """
    if b"\x1b$" not in data:
        try:
            data.decode("utf-8")
            return "utf-8"
        except UnicodeDecodeError:
            pass
    claim = _CA.search(data[:_HEAD])
    claimed = None if claim is None else known_charset(claim[1].decode("latin-1"))
    if b"\x1b$" in data and not _HIGH.search(data):
        return "iso2022_jp"
    sample = _sample(data)
    candidates = ["utf-8", "cp1252"]
    if len(_HIGH.findall(sample)) > 1:  # one byte alone is no text in two bytes a letter
        candidates += _COMMON
    if claimed is not None and claimed not in candidates:
        candidates.append(claimed)
    return max(candidates, key=lambda name: _sense(sample, name, claimed == name))


def _sample(data: bytes) -> bytes:
    """Some of the text from the first byte on that is not ASCII."""
    first = _HIGH.search(data)
    start = 0 if first is None else first.start()
    # In these sets no character holds a line end: whole lines cut none in two.
    lines = data[start : start + _MOST].split(b"\n")
    return b"\n".join(line for line in lines if not line.isascii())[:_SAMPLE]


def _sense(sample: bytes, encoding: str, claimed: bool) -> float:
    """How much sense the text makes in an encoding, in points for each high byte."""
    text = sample.decode(encoding, "replace")
    points = sum(map(_points, text, repeat(encoding))) - 6.0 * text.count("\ufffd")
    if encoding == "cp1252":
        points += 1.5 * len(_LATIN_WORD.findall(text)) - sum(map(len, _LATIN_RUN.findall(text)))
    high = len(_HIGH.findall(sample))
    bonus = 0.0
    if claimed:
        bonus = 0.3 if encoding in _EMPTY_CLAIMS else 0.8
    return points / max(high, 1) + bonus


_LATIN_WORD = re.compile(
    r"(?<![A-Za-z])[A-Za-z]++[à-öø-ÿß][a-z]*|\b[À-ÖØ-Þ][a-z]+|\b[à-öø-ÿ][a-z]{2,}"
)
_LATIN_RUN = re.compile(r"[^\x00-\x7f]{2,}")


#: Where each set keeps its frequent characters, as ranges of the first byte.
_LEVEL_ONE = {
    "gb18030": (0xB0, 0xD7),
    "big5hkscs": (0xA4, 0xC6),
    "cp932": (0x88, 0x97),
    "euc_jp": (0xB0, 0xCF),
}


@lru_cache(maxsize=1 << 18)
def _points(character: str, encoding: str) -> float:
    """Points of a character for the sense that it makes in an encoding."""
    code = ord(character)
    if code < 0x80:
        return 0.0
    if encoding == "utf-8":
        return 1.0 if code != 0xFFFD else 0.0
    if encoding == "cp1252":
        return -0.2 if 0xC0 <= code <= 0xFF and code not in (0xD7, 0xF7) else -1.5
    if encoding not in _COMMON:
        return 1.0 if character.isalpha() else -1.0
    if character in _COMMON[encoding]:
        return 2.5
    if 0x3041 <= code <= 0x30FE:  # kana
        return 2.5 if encoding in ("cp932", "euc_jp", "iso2022_jp") else -1.0
    if 0xFF61 <= code <= 0xFF9F:  # half-width kana: what Shift-JIS makes of other sets
        return -1.2
    if 0xAC00 <= code <= 0xD7A3:  # hangul
        # Syllables outside the common 2,350 are rare in names.
        common = encoding == "cp949" and character.encode("euc-kr", "ignore")
        return 0.5 if common else -2.0
    if 0x4E00 <= code <= 0x9FFF:
        if encoding not in _LEVEL_ONE:
            return -0.6
        low, high = _LEVEL_ONE[encoding]
        return 0.4 if low <= character.encode(encoding, "replace")[0] <= high else -0.8
    if 0x3000 <= code <= 0x3011 or 0xFF01 <= code <= 0xFF5E:  # punctuation, wide letters
        return 0.5
    return -2.0
