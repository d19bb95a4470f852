"""C sources as text: shared by scripts/lint, circles, mentions, names, senses and words. Standard library only; no state.

A "bare" text has its comments and strings replaced by spaces: offsets and lines stay as they are.
"""
import os
import re

C_FILES = (".c", ".h", ".cpp")
NOT_OURS = ("build", "corpus", "data", "__pycache__", ".")  # beginnings of folder names that are not read


def blank(match):
    """Replaces text by spaces, keeping its lines."""
    return re.sub(r"[^\n]", " ", match.group(0))


def strip_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|(?P<keep>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')',
                  lambda m: m.group(0) if m.group("keep") else blank(m), text, flags=re.S)


def strip_strings(code):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'',
                  lambda m: m.group(0)[0] + " " * (len(m.group(0)) - 2) + m.group(0)[0], code)


def strip_preprocessor(code):
    return re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", blank, code, flags=re.M)


def bare(text):
    return strip_strings(strip_comments(text))


FUNCTION = re.compile(r"^(?P<head>[A-Za-z_][^\n;{}=]*?)\b(?P<name>\w+)\([^;{}]*?\)\n\{\n(?P<body>.*?)^\}",
                      flags=re.M | re.S)


def functions(bare_text):
    """A match for every function: a name at the left edge, a brace at the left edge on either side."""
    code = re.sub(r"__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\)", lambda found: re.sub(r"[^\n]", "_", found.group(0)),
                  strip_preprocessor(bare_text))
    return FUNCTION.finditer(code)


def outer(bare_text):
    """The text outside of braces, each pair of braces one ';'."""
    code, depth, out = strip_preprocessor(bare_text), 0, []
    for piece in re.split(r"([{}])", code):
        if piece == "{":
            depth += 1
        elif piece == "}":
            depth = max(depth - 1, 0)
        elif depth == 0:
            out.append(piece)
    return ";".join(out)


def static_words(texts):
    """"static", and the macros of these texts that stand for it and more, as one that asks for inlining."""
    words = {"static"}
    for text in texts:
        for found in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]((?:[^\n]*\\\n)*[^\n]*)", text, flags=re.M):
            if re.match(r"(?:\w+[ \t]+)*static\b", found.group(2).strip()):
                words.add(found.group(1))
    return words


def is_static(found, words):
    """Has the function of functions() one of static_words() before its name?"""
    return not words.isdisjoint(re.findall(r"\w+", found["head"]))


def files_below(root, tops, endings):
    """Paths from root, sorted, of the files with one of these endings in these folders ("." = the root's own files)."""
    found = []
    for top in tops:
        if top == ".":
            found += [name for name in os.listdir(root) if name.endswith(endings)]
            continue
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders if not name.startswith(NOT_OURS)]
            found += [os.path.relpath(os.path.join(folder, name), root) for name in names if name.endswith(endings)]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8", errors="replace") as file:
        return file.read()


def write_tree(root, tree):
    """Files by path and text: for self-tests."""
    for path, text in tree.items():
        os.makedirs(os.path.dirname(os.path.join(root, path)) or root, exist_ok=True)
        with open(os.path.join(root, path), "w", encoding="utf-8") as file:
            file.write(text)
