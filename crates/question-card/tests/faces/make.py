"""Makes the faces of the tests that measure: `pip install fonttools==4.60.1 && python3 make.py` writes them beside this file.

A face has every character, as a box of one width, so that no pixel of a test comes from the machine's fonts. `plain` is as wide as Inter
or Arial, `wide` as DejaVu Sans or Verdana. Ideographs take a whole em in both, as in every font, and marks that combine take no room."""

from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import newTable
from fontTools.ttLib.tables._c_m_a_p import CmapSubtable

EM = 1000
ASCENT, DESCENT = 905, 212  # Arial's, for lines of `normal` height.
RANGES = [
    (0x20, 0x2FF, "letter"),
    (0x300, 0x36F, "mark"),
    (0x370, 0x2E7F, "letter"),
    (0x2E80, 0xA4CF, "ideograph"),
    (0xA4D0, 0xABFF, "letter"),
    (0xAC00, 0xD7FF, "ideograph"),
    (0xE000, 0xF8FF, "letter"),
    (0xF900, 0xFAFF, "ideograph"),
    (0xFB00, 0xFDFF, "letter"),
    (0xFE00, 0xFE0F, "mark"),
    (0xFE10, 0xFEFF, "letter"),
    (0xFF00, 0xFF60, "ideograph"),
    (0xFF61, 0xFFFF, "letter"),
    (0x10000, 0x1EFFF, "letter"),
    (0x1F000, 0x3FFFF, "ideograph"),
    (0x40000, 0x10FFFF, "letter"),
]


def box(width):
    pen = TTGlyphPen(None)
    if width:
        corners = [(80, 0), (80, 700), (width - 80, 700), (width - 80, 0)]
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def cmap():
    """A table of ranges that have one glyph each (format 13), which the builder has no word for."""
    table = newTable("cmap")
    table.tableVersion = 0
    subtable = CmapSubtable.newSubtable(13)
    subtable.platformID, subtable.platEncID, subtable.language = 3, 10, 0
    subtable.format, subtable.reserved, subtable.length, subtable.nGroups = 13, 0, 0, 0
    subtable.cmap = {char: glyph for first, last, glyph in RANGES for char in range(first, last + 1)}
    table.tables = [subtable]
    return table


def make(name, letter):
    widths = {".notdef": letter, "letter": letter, "ideograph": EM, "mark": 0}
    font = FontBuilder(EM, isTTF=True)
    font.setupGlyphOrder(list(widths))
    font.font["cmap"] = cmap()
    font.setupGlyf({glyph: box(width) for glyph, width in widths.items()})
    font.setupHorizontalMetrics({glyph: (width, 80 if width else 0) for glyph, width in widths.items()})
    font.setupHorizontalHeader(ascent=ASCENT, descent=-DESCENT, lineGap=33)
    font.setupNameTable({"familyName": f"Test {name}", "styleName": "Regular"})
    font.setupOS2(
        sTypoAscender=ASCENT, sTypoDescender=-DESCENT, sTypoLineGap=33, usWinAscent=ASCENT, usWinDescent=DESCENT, sxHeight=520, sCapHeight=700
    )
    font.setupPost(keepGlyphNames=False)
    font.font.recalcTimestamp = False
    font.font["head"].created = font.font["head"].modified = 0
    font.save(Path(__file__).with_name(f"{name}.ttf"))


make("plain", 460)
make("wide", 580)
