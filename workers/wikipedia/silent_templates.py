"""Templates that show nothing of the text: notes, citations, remarks, boxes, anchors, sort keys.

Any template without a rule is left out; these are left out without a trace, also beside a number, where another one
leaves a mark."""

from __future__ import annotations

import re

_NAMES = """
    citation|cite|sfn|sfnp|sfnm|sfnref|sfnmp|efn|efn-la|efn-lr|efn-ua|efn-ur|efn-lg|efn-ug|refn|ref|rp|r|rf|ref label|
    note|note label|notelist|notelist-ua|reflist|refbegin|refend|ref improve|harv|harvnb|harvtxt|harvcol|harvcolnb|
    harvcoltxt|harvs|harvp|harvc|citation needed|cn|fact|citation-needed|cite quote|clarify|when|who|which|where|whom|
    why|how|by whom|according to whom|dubious|disputed inline|failed verification|verify source|better source|
    better source needed|page needed|vague|update inline|update after|full citation needed|unreliable source?|
    unreliable source|primary source inline|non-primary source needed|original research inline|or|synthesis inline|
    pov inline|peacock inline|weasel inline|quantify|specify|year needed|date missing|attribution needed|needs update|
    contradict inline|dead link|webarchive|archive link|isbn|issn|oclc|doi|pmid|pmc|arxiv|bibcode|jstor|s2cid|lccn|
    asin|ssrn|zbl|mr|hdl|ol|url|official website|official url|in lang|languageicon|subscription required|
    registration required|open access|closed access|free access|anchor|anchors|shortcut|visible anchor target|
    flagicon|flag icon|flagicon image|flagdeco|flag icon image|fb|noflag|icon|mvp|dagger|double-dagger|ddagger|
    asterisk|audio|listen|pronunciation|pron|respell|ipa|ipac-en|ipa-all|ipablink|ipalink|ipa-en|usdict|
    short description|use dmy dates|use mdy dates|use british english|use american english|good article|
    featured article|pp|pp-vandalism|pp-semi-indef|pp-move|authority control|portal|portal bar|portal-inline|commons|
    commons category|commonscat|commonscat-inline|wikiquote|wikisource|wiktionary|sister project links|clear|
    clear left|clear right|-|stub|toc|toc limit|toc left|toc right|toclimit|coord missing|ntsh|hs|sort key|
    nowrap begin|nowrap end|nowrap start|nobr begin|nobr end|
    hidden sort key|sortkey|0|00|000|0000|pad|phantom|invisible|figure|fig|chart|col-begin|col-end|col-2|col-3|
    col-break|col begin|col end|div col|div col end|div end|end|s-start|s-end|s-bef|s-ttl|s-aft|refstart|
    multiple image|image|image label|gallery|break|defaultsort|displaytitle|italic title|italictitle|lowercase title|
    lowercase|r from|#tag:ref|increase|decrease|steady|up|down|profit|loss|gold medal|silver medal|bronze medal|gold1|
    silver2|bronze3|infobox|navbox|taxobox|automatic taxobox|speciesbox|geobox|chembox|drugbox|sidebar|quote box|
    référence nécessaire|réf nécessaire|référence souhaitée|refnec|réf|référence|lien web|ouvrage|article|lien brisé|
    références|notes|voir aussi|portail|palette|refsou|précision nécessaire|sources secondaires|belege fehlen|
    internetquelle|literatur|quelle|belege|hinweis|normdaten|exzellent|lesenswert|cita requerida|cita web|cita libro|
    cita publicación|cita noticia|harvnp|listaref|control de autoridades|aclarar|senza fonte|cita news|
    citazione necessaria|chiarire|interprogetto|controllo di autorità|carece de fontes|citar web|citar livro|
    citar periódico|referências|esboço|нет аи|книга|статья|публикация|cite web|примечания|уточнить|нет источника|
    bron?|citeer web|citeer boek|bronvermelding|appendix|fakt|cytuj|cytuj stronę|cytuj książkę|odn|przypisy|
    källa behövs|webbref|bokref|tidningsref|faktamall|kilde mangler|kilde|referencer|lähde|verkkoviite|kirjaviite|
    要出典|来源请求|來源請求|출처 필요|источник|джерело?|kaynak belirt|citaat nodig
    """.replace("\n", "").split("|")
_SILENT = frozenset(name.strip() for name in _NAMES)
_BEGIN = re.compile(
    r"(?:cite|citation|infobox|info/|navbox|taxobox|user|pp-|harv|sfn|efn|ipa-|ipac-|use |r from|commons|wikt|ficha de|"
    r"infocaja|boîte|карточка|cytuj|citar|cita |citeer|catégorie|portail|portal|external media|image )"
)
_END = re.compile(r"(?:[ -]stub|[ -]inline|[ -]needed|infobox|navbox|sidebar| icon| templates|/doc)$")


def is_silent(name: str) -> bool:
    """Whether a template of this name, in lower case, shows nothing in a sentence."""
    return name in _SILENT or bool(_BEGIN.match(name) or _END.search(name))
