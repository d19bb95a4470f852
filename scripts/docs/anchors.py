"""Anchors of headings: one rule for the site, which makes them, and for the search of dead links."""
import html
import re


def anchor_of(title, used):
    """The anchor of a heading, as code hosts make it; used counts the ones of its page. Markdown's quotes are passed over."""
    text = html.unescape(re.sub(r"<[^>]+>", "", title)).lower()
    anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
    used[anchor] = used.get(anchor, -1) + 1
    return anchor if used[anchor] == 0 else f"{anchor}-{used[anchor]}"
