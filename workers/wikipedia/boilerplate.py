"""Sections that say little of their article: references, links to elsewhere, lists of further reading.

They name the article in few words, so that a search by its title would put them before the text itself. They are stored
and found by their words, but have no vector, and the title of their article does not count for them.
"""

# ruff: noqa: RUF001
from __future__ import annotations

from collections.abc import Iterable

_TITLES = frozenset(
    title.strip().casefold()
    for title in """
    external links|external link|further reading|references|reference|notes|notes and references|
    references and notes|footnotes|endnotes|citations|bibliography|sources|works cited|literature cited|see also|
    general references|primary sources|secondary sources|notes and citations|selected bibliography|links|
    other websites|related pages|weblinks|einzelnachweise|literatur|siehe auch|quellen|fußnoten|anmerkungen|belege|
    nachweise|liens externes|lien externe|notes et références|références|bibliographie|voir aussi|articles connexes|
    annexes|enlaces externos|referencias|véase también|bibliografía|notas|notas y referencias|
    lecturas adicionales|collegamenti esterni|note|bibliografia|voci correlate|altri progetti|fonti|
    ligações externas|referências|ver também|leitura adicional|notas e referências|externe links|bronnen|
    referenties|zie ook|voetnoten|bronnen, noten en/of referenties|linki zewnętrzne|przypisy|zobacz też|
    uwagi|externa länkar|referenser|se även|källor|noter|fotnoter|eksterne henvisninger|eksterne lenker|
    referanser|referencer|se også|kilder|fodnoter|aiheesta muualla|lähteet|katso myös|viitteet|kirjallisuutta|
    ссылки|примечания|литература|см. также|источники|сноски|комментарии|библиография|посилання|примітки|література|
    див. також|джерела|външни препратки|източници|вижте също|бележки|externí odkazy|související články|
    poznámky|externé odkazy|referencie|pozri aj|zdroje|külső hivatkozások|jegyzetek|források|
    további információk|kapcsolódó szócikkek|irodalom|legături externe|referințe|vezi și|bibliografie|
    lectură suplimentară|vanjske poveznice|spoljašnje veze|спољашње везе|референце|види још|izvori|zunanje povezave|
    sklici|glej tudi|viri|välislingid|viited|vaata ka|ārējās saites|atsauces|skatīt arī|nuorodos|šaltiniai|
    dış bağlantılar|kaynakça|kaynaklar|ayrıca bakınız|notlar|dipnotlar|εξωτερικοί σύνδεσμοι|παραπομπές|δείτε επίσης|
    πηγές|βιβλιογραφία|σημειώσεις|وصلات خارجية|مراجع|المراجع|انظر أيضًا|انظر أيضا|هوامش|مصادر|پیوند به بیرون|منابع|
    جستارهای وابسته|پانویس|یادداشت‌ها|קישורים חיצוניים|הערות שוליים|לקריאה נוספת|ראו גם|ביאורים|外部リンク|脚注|
    参考文献|関連項目|出典|注釈|註釈|外部链接|外部連結|参考资料|參考資料|參考文獻|参见|參見|注释|註釋|延伸阅读|
    延伸閱讀|외부 링크|각주|참고 문헌|같이 보기|주해|출처|liên kết ngoài|tham khảo|xem thêm|chú thích|ghi chú|
    pranala luar|referensi|lihat pula|catatan kaki|pautan luar|rujukan|enllaços externs|referències|vegeu també|
    eksteraj ligiloj|referencoj|vidu ankaŭ|kanpo estekak|erreferentziak|ikus, gainera|ligazóns externas|
    véxase tamén|надворешни врски|наводи|ծանոթագրություններ|արտաքին հղումներ|แหล่งข้อมูลอื่น|อ้างอิง|ดูเพิ่ม|
    बाहरी कड़ियाँ|सन्दर्भ|इन्हें भी देखें
    """.replace("\n", "").split("|")
)


def is_boilerplate(path: Iterable[str]) -> bool:
    """Whether a section, by the titles that lead to it, is or stands in one of these."""
    return any(title.strip(" :").casefold() in _TITLES for title in path)
