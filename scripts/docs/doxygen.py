"""Runs Doxygen over the public headers, with the settings of scripts/docs/Doxyfile and some more."""
import os
import subprocess

ROOT = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", ".."))


class DoxygenError(Exception):
    """Doxygen fails, or warns."""


def run(folder, **settings):
    """Writes into the folder; settings: more lines of the Doxyfile. A warning is an error."""
    with open(os.path.join(ROOT, "scripts", "docs", "Doxyfile"), encoding="utf-8") as file:
        text = file.read()
    text += "".join(f"{name} = {value}\n" for name, value in {**settings, "OUTPUT_DIRECTORY": folder}.items())
    try:
        result = subprocess.run(["doxygen", "-"], input=text, text=True, cwd=ROOT, capture_output=True, check=False)
    except FileNotFoundError as error:
        raise DoxygenError("doxygen is not installed") from error
    if result.returncode or result.stderr:
        raise DoxygenError(f"doxygen: {result.stderr.strip()}")
