"""Other names of namespaces, which wikis understand and their dumps do not list: Bild, Imagen, WP.

MediaWiki keeps old names of a language, those for men and women, and those of the languages that a language falls back
on. Only names that are not the present one of a wiki are needed here: those stand in its dump.
"""

from __future__ import annotations

from graphvine.workers.wikipedia.site import CATEGORY, FILE, TEMPLATE

_USER, _PROJECT, _PROJECT_TALK = 2, 4, 5

# By language: names of files, of categories, of templates, of users.
_NAMES: dict[str, tuple[str, str, str, str]] = {
    "af": ("Beeld|Lêer", "Kategorie", "Sjabloon", "Gebruiker"),
    "ar": ("صورة|ملف", "تصنيف", "قالب", "مستخدم|مستخدمة"),
    "ast": ("Imaxen|Imaxe|Ficheru", "Categoría", "Plantía", "Usuariu|Usuaria"),
    "az": ("Şəkil|Fayl", "Kateqoriya", "Şablon", "İstifadəçi"),
    "be": ("Выява|Файл", "Катэгорыя", "Шаблон", "Удзельнік|Удзельніца"),
    "bg": ("Картинка|Файл", "Категория", "Шаблон", "Потребител"),
    "bs": ("Slika|Datoteka", "Kategorija", "Šablon", "Korisnik|Korisnica"),
    "ca": ("Imatge|Fitxer", "Categoria", "Plantilla", "Usuari|Usuària"),
    "cs": ("Soubor", "Kategorie", "Šablona", "Uživatel|Uživatelka|Wikipedista|Wikipedistka"),
    "cy": ("Delwedd", "Categori", "Nodyn", "Defnyddiwr"),
    "da": ("Billede|Fil", "Kategori", "Skabelon", "Bruger"),
    "de": ("Bild|Datei", "Kategorie", "Vorlage", "Benutzer|Benutzerin"),
    "el": ("Εικόνα|Αρχείο", "Κατηγορία", "Πρότυπο", "Χρήστης|Χρήστρια"),
    "eo": ("Dosiero", "Kategorio", "Ŝablono", "Uzanto|Uzantino|Vikipediisto|Vikipediistino"),
    "es": ("Imagen|Archivo", "Categoría", "Plantilla", "Usuario|Usuaria"),
    "et": ("Pilt|Fail", "Kategooria", "Mall", "Kasutaja"),
    "eu": ("Irudi|Fitxategi", "Kategoria", "Txantiloi", "Lankide"),
    "fa": ("تصویر|پرونده", "رده", "الگو", "کاربر"),
    "fi": ("Kuva|Tiedosto", "Luokka", "Malline", "Käyttäjä"),
    "fr": ("Fichier", "Catégorie", "Modèle", "Utilisateur|Utilisatrice"),
    "gl": ("Imaxe|Ficheiro", "Categoría", "Modelo", "Usuario|Usuaria"),
    "he": ("תמונה|קובץ", "קטגוריה", "תבנית", "משתמש|משתמשת"),
    "hi": ("चित्र", "श्रेणी", "साँचा", "सदस्य"),
    "hr": ("Slika|Datoteka", "Kategorija", "Predložak", "Suradnik|Suradnica"),
    "hu": ("Kép|Fájl", "Kategória", "Sablon", "Szerkesztő"),
    "hy": ("Պատկեր", "Կատեգորիա", "Կաղապար", "Մասնակից"),
    "id": ("Gambar|Berkas", "Kategori", "Templat", "Pengguna"),
    "is": ("Mynd", "Flokkur", "Snið", "Notandi"),
    "it": ("Immagine", "Categoria", "Template", "Utente"),
    "ja": ("画像|ファイル", "カテゴリ", "テンプレート", "利用者"),
    "ka": ("სურათი|ფაილი", "კატეგორია", "თარგი", "მომხმარებელი"),
    "kk": ("Сурет|Файл", "Санат", "Үлгі", "Қатысушы"),
    "ko": ("그림|파일", "분류", "틀", "사용자"),
    "la": ("Imago|Fasciculus", "Categoria", "Formula", "Usor"),
    "lt": ("Vaizdas", "Kategorija", "Šablonas", "Naudotojas"),
    "lv": ("Attēls", "Kategorija", "Veidne", "Dalībnieks|Lietotājs"),
    "mk": ("Слика|Податотека", "Категорија", "Предлошка|Шаблон", "Корисник"),
    "ms": ("Imej|Fail", "Kategori", "Templat", "Pengguna"),
    "nl": ("Afbeelding|Bestand", "Categorie", "Sjabloon", "Gebruiker"),
    "no": ("Bilde|Fil", "Kategori", "Mal", "Bruker"),
    "nn": ("Bilete|Fil", "Kategori", "Mal", "Brukar"),
    "oc": ("Imatge|Fichièr", "Categoria", "Modèl", "Utilizaire"),
    "pl": ("Grafika|Plik", "Kategoria", "Szablon", "Użytkownik|Użytkowniczka|Wikipedysta|Wikipedystka"),
    "pt": ("Imagem|Ficheiro|Arquivo", "Categoria", "Predefinição", "Usuário|Usuária|Utilizador"),
    "ro": ("Imagine|Fișier", "Categorie", "Format", "Utilizator"),
    "ru": ("Изображение|Файл", "Категория", "Шаблон", "Участник|Участница"),
    "sh": ("Slika|Datoteka", "Kategorija", "Šablon", "Korisnik"),
    "sk": ("Obrázok|Súbor", "Kategória", "Šablóna", "Redaktor|Používateľ"),
    "sl": ("Slika", "Kategorija", "Predloga", "Uporabnik"),
    "sq": ("Figura|Skeda", "Kategoria", "Stampa", "Përdoruesi"),
    "sr": ("Слика|Датотека|Slika", "Категорија|Kategorija", "Шаблон|Šablon", "Корисник"),
    "sv": ("Bild|Fil", "Kategori", "Mall", "Användare"),
    "ta": ("படிமம்", "பகுப்பு", "வார்ப்புரு", "பயனர்"),
    "th": ("ภาพ|ไฟล์", "หมวดหมู่", "แม่แบบ", "ผู้ใช้"),
    "tr": ("Resim|Dosya", "Kategori", "Şablon", "Kullanıcı"),  # noqa: RUF001
    "uk": ("Зображення|Файл", "Категорія", "Шаблон", "Користувач|Користувачка"),
    "ur": ("تصویر|فائل", "زمرہ", "سانچہ", "صارف"),
    "vi": ("Hình|Tập tin", "Thể loại", "Bản mẫu", "Thành viên"),
    "zh": ("图像|圖像|文件|档案|檔案", "分类|分類", "模板|样板", "用户|用戶"),
}  # fmt: skip
# Languages that fall back on another.
_FALLBACKS = {
    code: base
    for base, codes in {
        "de": "als bar gsw ksh lb nds pdc pfl dsb hsb stq frr",
        "lv": "ltg",
        "lt": "sgs bat-smg",
        "es": "an ay gn qu nah ext lad cbk-zam",
        "fr": "br frp ht wa ln wo pcd nrm mg",
        "it": "co eml fur lij lmo nap pms roa-tara sc scn vec",
        "pt": "mwl",
        "nl": "fy li vls zea nds-nl pap",
        "pl": "szl csb",
        "ru": "ba ce cv kv mhr mrj os sah tt tyv udm xal bxr koi ab av inh krc lez mdf myv",
        "be": "be-tarask be-x-old",
        "uk": "rue",
        "no": "nb",
        "et": "fiu-vro vro vep",
        "fi": "olo",
        "id": "jv su min ban bjn ace map-bms",
        "ar": "arz ary",
        "fa": "ckb glk mzn azb lrc",
        "zh": "yue zh-yue wuu gan hak lzh zh-classical cdo",
        "he": "yi",
        "ka": "xmf",
        "ro": "roa-rup rup",
        "da": "fo kl",
        "tr": "crh diq gag ku",
    }.items()
    for code in codes.split()
}


def aliases_of(language: str, wiki: str) -> dict[str, int]:
    """Names that a wiki of this language understands beside those in its dump."""
    files, categories, templates, users = _NAMES.get(_FALLBACKS.get(language, language), ("", "", "", ""))
    found = {name: FILE for name in files.split("|") if name}
    found |= {name: CATEGORY for name in categories.split("|") if name}
    found |= {name: TEMPLATE for name in templates.split("|") if name}
    found |= {name: _USER for name in users.split("|") if name}
    if "wikipedia" in wiki.lower():
        found |= {"WP": _PROJECT, "WT": _PROJECT_TALK}
    return found
