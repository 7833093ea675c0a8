"""Bytes to text, by what browsers go by: a byte order mark, the header, the page's own word, then a guess."""

from __future__ import annotations

import codecs
import re

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip
# Pages that name the smaller set mean the larger one.
_LARGER = {
    "ascii": "cp1252", "iso8859-1": "cp1252", "iso8859-9": "cp1254", "gb2312": "gb18030", "gbk": "gb18030",
    "euc_kr": "cp949", "shift_jis": "cp932", "tis-620": "cp874", "iso8859-11": "cp874",
}  # fmt: skip
# Python knows these by name too; no page is written in them, and some can't replace what they can't read.
_NOT_OF_PAGES = frozenset({"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape", "utf-7"})
_META = re.compile(rb"<meta[^>]{0,300}?charset\s*=\s*[\"']?\s*([\w.:-]{1,40})", re.IGNORECASE)
_XML = re.compile(rb"^\s*<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]{1,40})", re.IGNORECASE)
_LETTER_OF_UTF8 = re.compile(rb"[\xc3-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}")
_ONE_BYTE = ("cp125", "iso8859", "koi8", "mac", "cp874", "cp866")
_NO_ACCIDENT = 16
_WESTERN = "graphvine.western"
_LOOKED_AT = 4_096
_SAMPLE_BYTES = 65_536
# Of fewer letters beyond ASCII nothing can be told: then it is most likely a western page.
_ENOUGH_TO_GUESS = 30


def decode(body: bytes, declared: str = "", *, markup: bool = True) -> str:
    """The text of a body; what fits no encoding becomes a replacement character, never an error."""
    for mark, name in _MARKS:
        if body.startswith(mark):
            return body[len(mark) :].decode(name, "replace")
    for named in (declared, _own_word(body) if markup else ""):
        codec = _codec(named)
        if codec is None:
            continue
        if text := _utf8_all_the_same(body, codec):
            return text
        try:
            return body.decode(codec)
        except UnicodeDecodeError:
            # Some say one thing and send another: valid UTF-8 is not an accident, otherwise their word holds.
            return _utf8(body) or (_repaired(body) if codec == "utf-8" else body.decode(codec, "replace"))
    return _utf8(body) or _guessed(body)


def decode_feed(body: bytes, declared: str = "") -> str:
    """The text of a feed. What its server says is often the server's default: UTF-8 goes first where the body is it."""
    for mark, name in (*_MARKS, (b"<\0?\0", "utf-16-le"), (b"\0<\0?", "utf-16-be")):
        if body.startswith(mark):
            return body.decode(name, "replace").lstrip("\ufeff")
    if not body.isascii() and (text := _utf8(body)):
        return text
    own = _XML.search(body[:_LOOKED_AT])
    for named in (own[1].decode("ascii", "replace") if own else "", declared):
        codec = _codec(named)
        if codec not in (None, "utf-8", "utf-16", "utf-32"):
            try:
                return body.decode(codec)
            except UnicodeDecodeError:
                continue
    return _repaired(body)


def _own_word(body: bytes) -> str:
    head = body[:_LOOKED_AT]
    found = _META.search(head) or _XML.search(head)
    word = found.group(1).decode("ascii", "replace") if found else ""
    # It was read as bytes of ASCII, so it can't be UTF-16, whatever it says.
    return "utf-8" if word.lower().startswith(("utf-16", "utf-32")) else word


def _codec(name: str) -> str | None:
    try:
        found = codecs.lookup(name.strip()).name if name.strip() else None
    except (LookupError, ValueError, UnicodeError):
        return None
    if found is None or found in _NOT_OF_PAGES or not codecs.lookup(found)._is_text_encoding:
        return None
    return _LARGER.get(found, found)


def _utf8(body: bytes) -> str:
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        # Cut within its last character, by a server or a limit; plain ASCII before it proves nothing.
        cut = error.reason == "unexpected end of data" and not body[: error.start].isascii()
        return body[: error.start].decode("utf-8") if cut else ""


def _utf8_all_the_same(body: bytes, codec: str) -> str:
    """UTF-8 that is said to be in another encoding, as of pages that were moved or stored; '' where it is not."""
    if codec.startswith("utf") or body.isascii() or not (text := _utf8(body)):
        return ""
    # A set of two bytes a letter makes other letters of it, as a few of its own may pass for UTF-8.
    return text if codec.startswith(_ONE_BYTE) or len(body) - len(text) >= _NO_ACCIDENT else ""


def _repaired(body: bytes) -> str:
    """Said to be UTF-8, and is not: with single letters of a western set in it, or altogether in another."""
    if not _LETTER_OF_UTF8.search(body):
        return _guessed(body)
    return body.decode("utf-8", _WESTERN)


def _as_western(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return error.object[error.start : error.end].decode("cp1252", "replace"), error.end


codecs.register_error(_WESTERN, _as_western)


def _guessed(body: bytes) -> str:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return body.decode("cp1252", "replace")
    if sum(byte > 127 for byte in body[:_SAMPLE_BYTES]) < _ENOUGH_TO_GUESS:
        return body.decode("cp1252", "replace")
    best = from_bytes(body[:_SAMPLE_BYTES]).best()
    return body.decode(_codec(best.encoding) or "cp1252" if best is not None else "cp1252", "replace")
