"""A manual page in the man macros, from parts and from the descriptions in Doxygen's XML."""
import re

SKIPPED = {"anchor", "title"}
INLINE = {"ref": "", "ulink": "", "computeroutput": "B", "bold": "B", "emphasis": "I"}
SIGNS = {"ndash": "\\(en", "mdash": "\\(em", "linebreak": " ", "sp": " "}


class RoffError(Exception):
    """An element of Doxygen's that no page had until now."""


def plain(element):
    """The text of an element in one line."""
    return " ".join("".join(element.itertext()).split()) if element is not None else ""


def roff_text(text):
    """Text that is no request: backslashes, and a dot or quote at the begin."""
    text = re.sub(r"\s+", " ", text).replace("\\", "\\e").replace("--", "\\-\\-")
    return re.sub(r"^([.'])", r"\\&\1", text)


def roff_code(line):
    return re.sub(r"^([.'])", r"\\&\1", line.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq"))


class Roff:
    def __init__(self, name, section, date, version):
        self.lines = [f'.TH {name.upper()} {section} {date} "Pharos {version}" Pharos', ".nh", ".ad l"]
        self.waiting = ""  # of the present paragraph
        self.fresh = True  # the last request begins a paragraph by itself

    def text(self):
        self.flush()
        return "\n".join(self.lines) + "\n"

    def raw(self, line):
        self.flush()
        self.lines.append(line)

    def section(self, title):
        self.raw(f'.SH "{title.upper()}"')
        self.fresh = True

    def subsection(self, title):
        self.raw(f'.SS "{title}"')
        self.fresh = True

    def paragraph(self, text):
        self.flush()
        self.waiting = text
        self.flush()

    def code(self, lines):
        self.flush()
        self.begin_paragraph()
        self.lines += [".nf", *map(roff_code, lines), ".fi"]

    def begin_paragraph(self):
        if not self.fresh:
            self.lines.append(".PP")
        self.fresh = False

    def flush(self):
        text = self.waiting.strip()
        self.waiting = ""
        if text:
            self.begin_paragraph()
            # A sentence a line: formatters put the right space behind it.
            for line in re.split(r"(?<=[.:;?!]) (?=[A-Z])", text):
                self.lines.append(re.sub(r"^([.'])", r"\\&\1", line))

    def description(self, owner):
        """Brief and detailed words of a compound or member."""
        for part in ("briefdescription", "detaileddescription"):
            element = owner.find(part)
            for number, block in enumerate(element if element is not None else ()):
                if part == "detaileddescription" and number == 0 and owner.get("kind") != "file":
                    self.waiting += " " # goes on behind the brief sentence
                else:
                    self.flush()
                self.block(block)
        self.flush()

    def block(self, element):
        getattr(self, "block_" + element.tag, self.inline)(element)

    def inline(self, element):
        """Text with marks; blocks that stand in it end the paragraph."""
        self.waiting += roff_text(element.text or "")
        for child in element:
            if child.tag in INLINE:
                font = INLINE[child.tag]
                text = roff_text(plain(child).replace("::", "."))
                self.waiting += f"\\f{font}{text}\\fR" if font else text
            elif child.tag in SIGNS:
                self.waiting += SIGNS[child.tag]
            elif hasattr(self, "block_" + child.tag):
                getattr(self, "block_" + child.tag)(child)
            elif child.tag not in SKIPPED:
                raise RoffError(f"no rule for <{child.tag}>")
            self.waiting += roff_text(child.tail or "")

    def block_para(self, element):
        self.inline(element)

    def block_sect1(self, element):
        self.section(plain(element.find("title")))
        for block in element:
            if block.tag != "title":
                self.flush()
                self.block(block)
        self.flush()

    def block_simplesect(self, element):
        self.flush()
        title = plain(element.find("title")) or {"return": "Returns"}.get(element.get("kind"), element.get("kind").title())
        self.waiting = f"\\fI{title}:\\fR "
        for block in element.findall("para"):
            self.inline(block)
        self.flush()

    def block_parameterlist(self, element):
        self.flush()
        for item in element.findall("parameteritem"):
            self.waiting = f"\\fI{plain(item.find('parameternamelist'))}:\\fR "
            for block in item.find("parameterdescription"):
                self.inline(block)
            self.flush()

    def items(self, element, mark):
        self.flush()
        for number, item in enumerate(element.findall("listitem"), 1):
            self.lines.append(f".IP {mark(number)} 4")
            self.fresh = True
            for block in item:
                self.block(block)
            self.flush()
        self.fresh = False

    def block_itemizedlist(self, element):
        self.items(element, lambda number: "\\(bu")

    def block_orderedlist(self, element):
        self.items(element, lambda number: f"{number}.")

    def block_table(self, element):
        """The first column as a term, the second behind it, others in brackets with their heads."""
        self.flush()
        heads, *rows = [[plain(entry) for entry in row.findall("entry")] for row in element.findall("row")]
        for term, text, *others in rows:
            text += "".join(f" ({head} {other})" for head, other in zip(heads[2:], others))
            self.lines += [".TP", f"\\fB{roff_text(term)}\\fR", roff_text(text)]
        self.fresh = False

    def block_verbatim(self, element):
        self.code((element.text or "").strip("\n").splitlines())
