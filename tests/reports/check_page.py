"""check_page.py PAGE.html: exits 0 when the page is sound for a browser and a person.

Sound: no element, attribute or script came from outside; nothing is loaded; every link on the page
leads somewhere; the embedded summary is strict JSON and agrees with the cells.
"""

import html.parser
import json
import re
import sys

ELEMENTS = set(
    "html head meta title style body header main section nav h1 h2 p ul li a b small span div svg "
    "line circle table caption thead tbody tr th td details summary pre code script label input"
    .split()
)
VOID = {"meta", "input", "line", "circle"}
ATTRIBUTES = set(
    "lang charset name content http-equiv id class href scope data-title viewbox aria-hidden x1 y1 "
    "x2 y2 cx cy r type hidden".split()
)


class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.text, self.scripts = [], set(), [], [], []

    def handle_starttag(self, tag, attributes):
        assert tag in ELEMENTS, f"foreign element {tag}"
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append([dict(attributes), ""])
        for name, value in attributes:
            assert name in ATTRIBUTES, f"foreign attribute {name} of {tag}"
            if name == "id":
                assert value not in self.ids, f"id {value} twice"
                self.ids.add(value)
            if name == "href":
                assert re.fullmatch(r"#[a-z][a-z0-9-]*|\.\./trials/[0-9]{4,}/", value), value
                self.links.append(value)

    def handle_startendtag(self, tag, attributes):
        assert tag in VOID, f"<{tag}/>"
        self.handle_starttag(tag, attributes)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]}"
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] == "script":
            self.scripts[-1][1] += data
        elif self.open and self.open[-1] != "style":
            self.text.append(data)


def refuse(word):
    raise ValueError(f"{word} is not JSON")


def main():
    raw = open(sys.argv[1], encoding="utf-8", newline="").read()
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", raw), "a control character"
    assert not re.search(r"https?:|url\(|@import|<link|<img", raw), "something to load"
    page = Page()
    page.feed(raw)
    page.close()
    assert not page.open, f"left open: {page.open}"
    for link in page.links:
        assert not link.startswith("#") or link[1:] in page.ids, f"{link} leads nowhere"
    assert len(page.scripts) == 2 and page.scripts[0][0]["type"] == "application/json"
    summary = json.loads(page.scripts[0][1], parse_constant=refuse)
    assert summary["schema"] == 1
    text = "".join(page.text)
    for case in summary["cases"]:
        for cell in case["cells"]:
            assert cell["state"] in text, cell["state"]
            counted = [value["seconds"] for value in cell["values"] if value["counted"]]
            assert cell["n"] == len(counted)
            if cell["bytes_per_second"] is not None:
                rate = cell["payload_bytes"] / cell["median_seconds"]
                assert abs(rate / cell["bytes_per_second"] - 1) < 1e-12
    for wanted in sys.argv[2:]:
        assert wanted in text, f"not shown: {wanted}"


main()
