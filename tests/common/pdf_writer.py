"""A PDF in its plainest form, with a line of text on each page."""

from __future__ import annotations

from collections.abc import Sequence


def pdf(lines: Sequence[str], title: str = "") -> bytes:
    """One page for each line."""
    pages = [f"{4 + 2 * number} 0 R" for number in range(len(lines))]
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{' '.join(pages)}] /Count {len(lines)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, line in enumerate(lines):
        resources = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] {resources} /Contents {5 + 2 * number} 0 R >>"
        )
        content = f"BT /F1 12 Tf 20 200 Td ({line}) Tj ET" if line else ""
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    objects.append(f"<< /Title ({title}) >>")
    body, places = b"%PDF-1.4\n", []
    for number, text in enumerate(objects, 1):
        places.append(len(body))
        body += f"{number} 0 obj\n{text}\nendobj\n".encode("latin-1")
    table = "".join(f"{place:010d} 00000 n \n" for place in places)
    trailer = f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R /Info {len(objects)} 0 R >>"
    return (
        body
        + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{trailer}\nstartxref\n{len(body)}\n%%EOF\n".encode()
    )
