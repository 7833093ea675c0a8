"""Characters that stand for markup on its way to plain text; none of them may occur in a page or leave the parser.

What they become depends on what stands around them, so they are resolved when a text is complete (text_cleanup).
Unicode reserves these code points for such use: no text holds them.
"""

from __future__ import annotations

import re

# Between these stands the number of a text that was put aside.
ASIDE, ASIDE_END = "\ufdd0", "\ufdd1"
# Something was taken out here: digits before and behind it are not one number.
SEAM = "\ufdd2"
# A template that can't be read; it may have shown a number. The second kind was given one.
GAP, NUMBER_GAP = "\ufdd3", "\ufdd4"
SUP, SUP_END, SUB, SUB_END = "\ufdd5", "\ufdd6", "\ufdd7", "\ufdd8"

RESERVED = re.compile("[\ufdd0-\ufdef]")
ASIDE_MARK = re.compile(f"{ASIDE}([0-9]+){ASIDE_END}")


def without_marks(text: str) -> str:
    """The text alone, for what must be a title, a number or a name."""
    return RESERVED.sub("", ASIDE_MARK.sub("", text)) if not text.isascii() and RESERVED.search(text) else text
