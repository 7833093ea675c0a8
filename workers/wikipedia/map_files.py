"""A drawn map as a file: SVG, a page that zooms and pans, or PNG; the ending of its name says which."""

from __future__ import annotations

from pathlib import Path

from graphvine.errors import GraphvineError

FORMATS = (".svg", ".html", ".png")
_PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
  html, body {{ margin: 0; height: 100%; background: #fbfaf6; color-scheme: light dark; }}
  @media (prefers-color-scheme: dark) {{ html, body {{ background: #141a15; }} }}
  svg {{ width: 100vw; height: 100vh; display: block; cursor: grab; touch-action: none; user-select: none; }}
</style>
</head>
<body>
{svg}
<script>
  // The wheel zooms at the pointer, dragging moves, a double click shows all again.
  const svg = document.querySelector("svg"), whole = svg.viewBox.baseVal;
  const all = [whole.x, whole.y, whole.width, whole.height];
  let view = [...all], from = null;
  const show = () => svg.setAttribute("viewBox", view.join(" "));
  const scale = () => Math.max(view[2] / svg.clientWidth, view[3] / svg.clientHeight);
  svg.addEventListener("wheel", (event) => {{
    event.preventDefault();
    const by = Math.min(20, Math.max(0.05, view[2] * Math.exp(event.deltaY / 500) / all[2])) * all[2] / view[2];
    const matrix = svg.getScreenCTM().inverse();
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(matrix);
    view = [at.x - (at.x - view[0]) * by, at.y - (at.y - view[1]) * by, view[2] * by, view[3] * by];
    show();
  }}, {{ passive: false }});
  svg.addEventListener("pointerdown", (event) => {{
    from = [event.clientX, event.clientY];
    svg.setPointerCapture(event.pointerId);
  }});
  svg.addEventListener("pointermove", (event) => {{
    if (!from) return;
    view[0] -= (event.clientX - from[0]) * scale();
    view[1] -= (event.clientY - from[1]) * scale();
    from = [event.clientX, event.clientY];
    show();
  }});
  svg.addEventListener("pointerup", () => {{ from = null; }});
  svg.addEventListener("dblclick", () => {{ view = [...all]; show(); }});
</script>
</body>
</html>
"""


def write(path: Path, svg: str) -> None:
    """Write the picture in the format that the name asks for."""
    ending = path.suffix.lower() or ".svg"
    if ending == ".png":
        path.write_bytes(as_png(svg))
    elif ending == ".html":
        path.write_text(as_page(svg, path.stem), "utf-8")
    elif ending == ".svg":
        path.write_text(svg, "utf-8")
    else:
        raise GraphvineError(f"a map is written as {', '.join(FORMATS)}, not {ending}: name the file so")


def as_page(svg: str, title: str) -> str:
    """One file that any browser opens, without the network."""
    from html import escape

    return _PAGE.format(title=escape(title), svg=svg[svg.index("<svg") :])


def as_png(svg: str) -> bytes:
    """Twice as many pixels as the drawing has units, on paper: sharp on a dense screen."""
    import resvg_py

    return bytes(resvg_py.svg_to_bytes(svg_string=svg, zoom=2))
