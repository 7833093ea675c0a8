"""Made-up articles in wikitext as people write it: an infobox, references, tables, pictures, lists, templates."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

from support.passages import Passages

LONG_PARTS, LONG_PARAGRAPHS = 14, 6
_HEAD = '<mediawiki xmlns="http://www.mediawiki.org/xml/export-0.10/" version="0.10" xml:lang="en">\n'


class Articles:
    """Long and short articles that link to each other; the same for every run of one seed."""

    def __init__(self, titles: Sequence[str], seed: int) -> None:
        self._titles, self._chance, self._passages = titles, random.Random(seed), Passages(seed)

    def long(self, title: str) -> str:
        """Some 60,000 characters, of which a third is text."""
        parts = [f"== Part {part} ==\n{self._part(LONG_PARAGRAPHS)}" for part in range(1, LONG_PARTS + 1)]
        body = "\n\n".join([self._infobox(title), self._part(2), *parts])
        return f"{{{{short description|An article}}}}\n{body}\n{self._end(title)}"

    def short(self, title: str) -> str:
        """Some 1,500 characters: a paragraph or two and a list."""
        return f"'''{title}''' is {self._paragraph()}\n\n== See ==\n{self._list(4)}\n{self._end(title)}"

    def _part(self, paragraphs: int) -> str:
        made = [self._paragraph() for _ in range(paragraphs)]
        made.insert(1, self._chance.choice([self._table, self._list, self._picture, self._quotes])())
        if self._chance.random() < 0.4:
            made.insert(0, f"{{{{main|{self._title()}}}}}\n=== Of {self._title()} ===")
        return "\n\n".join(made)

    def _paragraph(self) -> str:
        words = "".join(sign if sign.isalnum() or sign in " .," else " " for sign in self._passages.of(70)).split()
        for place in self._chance.sample(range(len(words)), len(words) // 8):
            words[place] = self._mark(words[place])
        return " ".join(words)

    def _mark(self, word: str) -> str:
        note = f'{word}<ref name="r{self._chance.randrange(99)}"'
        return self._chance.choice([
            f"[[{self._title()}]]", f"[[{self._title()}|{word}]]", f"''{word}''", f"'''{word}'''",
            f"{note}>{self._cite()}</ref>", f"{note} />", f"{word}{{{{citation needed|date=May 2020}}}}",
            f"{{{{convert|{self._chance.randrange(900)}|km|mi}}}}", f"{{{{lang|fr|{word}}}}}",
            f"{word}&nbsp;&ndash; [[{self._title()}#Part 2|part]]s",
        ])  # fmt: skip

    def _cite(self) -> str:
        told = f"|title=On {self._title()} |url=https://example.org/{self._chance.random()} |publisher=[[Example]]"
        return f"{{{{cite web |last=Doe |first=J. {told} |date=2 May 2019 |access-date=5 June 2020 |quote=So it is}}}}"

    def _infobox(self, title: str) -> str:
        rows = "\n".join(f"| field{n} = [[{self._title()}]], {{{{nowrap|{n} m}}}} <!-- {n} -->" for n in range(18))
        return f"{{{{Infobox thing\n| name = {title}\n| image = Thing.jpg\n{rows}\n}}}}"

    def _table(self) -> str:
        rows = "\n|-\n".join(
            f'| style="color:red" | {n} || [[{self._title()}]] || {{{{flag|France}}}} || <ref>{self._cite()}</ref>'
            for n in range(12)
        )
        return f'{{| class="wikitable sortable"\n|+ Some of them\n! Rank !! Name !! Place !! Number\n|-\n{rows}\n|}}'

    def _list(self, count: int = 8) -> str:
        return "\n".join(f"* [[{self._title()}]], ''of {n}'' &mdash; {self._passages.of(3)}" for n in range(count))

    def _picture(self) -> str:
        return f"[[File:Thing.jpg|thumb|right|A caption with [[{self._title()}]] and {self._mark('more')}]]"

    def _quotes(self) -> str:
        said = f"{{{{quote|text={self._mark('said')} so|author=Doe}}}}"
        return f"<blockquote>{self._passages.of(20)}</blockquote>\n{said}"

    def _end(self, title: str) -> str:
        categories = f"[[Category:All]]\n[[Category:Of {title[:6]}]]"
        return f"== References ==\n{{{{reflist}}}}\n{{{{Authority control}}}}\n{categories}\n"

    def _title(self) -> str:
        return self._chance.choice(self._titles)


def dump_of(texts: Mapping[str, str], path: Path) -> None:
    """A dump of these pages."""
    with path.open("w", encoding="utf-8") as file:
        file.write(_HEAD)
        for number, (title, text) in enumerate(texts.items(), 1):
            file.write(
                f"<page><title>{escape(title)}</title><ns>0</ns><id>{number}</id><revision><id>{number}</id>"
                f"<timestamp>2025-02-01T10:00:00Z</timestamp><model>wikitext</model><format>text/x-wiki</format>"
                f'<text xml:space="preserve">{escape(text)}</text></revision></page>\n'
            )
        file.write("</mediawiki>\n")
