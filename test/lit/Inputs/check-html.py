# check-html.py page.html: the page is well formed, fetches nothing, and holds no markup but our own.
import sys
from html.parser import HTMLParser

OURS = set("html head meta title style body h1 h2 h3 p code div span b br i table thead tbody tr th td input svg g rect "
           "text path line script".split())
VOID = {"meta", "br", "input"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.scripts, self.texts = [], 0, []

    def handle_starttag(self, tag, attributes):
        assert tag in OURS, f"tag <{tag}> at {self.getpos()}"
        for name, value in attributes:
            assert not name.startswith("on"), f"event handler {name} at {self.getpos()}"
            assert name not in ("href", "src", "xlink:href", "action", "srcset"), f"{name} at {self.getpos()}"
            self.texts.append(value or "")
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-1:]} at {self.getpos()}"
        self.open.pop()

    def handle_data(self, data):
        self.texts.append(data)


with open(sys.argv[1], encoding="utf-8", newline="") as file:
    text = file.read()
page = Page()
page.feed(text)
page.close()
assert not page.open, f"not closed: {page.open}"
assert page.scripts == 1, f"{page.scripts} scripts"
for scheme in ("http:", "https:", "url(", "@import", "//"):
    where = [t for t in page.texts if scheme in t]
    # the one script may have comments
    assert all(t.lstrip().startswith('"use strict"') for t in where), f"{scheme} in {where}"
assert not any(ord(c) < 32 and c != "\n" for c in text), "control characters"
assert not set("\u200b\u202a\u202e\u2066\ufeff") & set(text), "hidden marks"
for mark in sys.argv[2:]:
    assert any(mark in t for t in page.texts), f"'{mark}' is not shown"
