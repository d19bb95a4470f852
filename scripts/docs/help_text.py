"""The parts of a program's --help, as argp of the GNU C library prints it: for its manual page and its completions."""
import os
import re
import subprocess

WIDE = {"ARGP_HELP_FMT": "rmargin=4000"}  # no line is folded
# The line of an option: "  -c, --config=FILE          Read ...", "      --events[=N]".
OPTION = re.compile(r"^ {2}(?:-(?P<short>[\w?]), | {4})--(?P<long>[a-z][a-z-]*)"
                    r"(?:(?P<optional>\[)?=(?P<value>[^\s\[\]]+(?:\[[^\s\]]*\])*)(?(optional)\]))?(?: {2,}(?P<text>.*))?$")
SHORT = re.compile(r"^ {2}-(?P<short>\w) {2,}(?P<text>.*)$")
CONTINUED = re.compile(r"^ {29}(?P<text>\S.*)$")
USAGE = re.compile(r"^(?:Usage:|  or: ) (?P<line>\S+ \[OPTION\.\.\.\] ?(?P<command>[a-z]+)? ?\[?(?P<operand>[A-Z]+)?.*)")
OF_ARGP = "Mandatory or optional arguments to long options"


class HelpError(Exception):
    """A program fails, or its --help is none of argp's."""


class Option:
    """An option: names, value as --help has it (None: takes none), and its text."""

    def __init__(self, short, long, value, is_optional, text):
        self.short, self.long, self.value, self.is_optional, self.text = short, long, value, is_optional, text or ""

    def summary(self):
        """The first sentence, without what stands in parentheses."""
        text = re.sub(r"\s+", " ", re.sub(r" \([^)]*\)", "", self.text)).strip()
        return re.split(r"(?<=\w) ?[.;] ", text + " ")[0].strip().rstrip(".")


class Help:
    """usages: matches of USAGE; intro: lines before the options; options; tail: lines behind them."""

    def __init__(self, program):
        self.program = program
        self.usages, self.intro, self.options, self.tail = [], [], [], []
        for line in self.output("--help", WIDE).splitlines():
            self.read(line.rstrip())
        if not any(option.long == "help" for option in self.options):
            raise HelpError(f"{program} --help has no --help")

    def output(self, option, environment=()):
        done = subprocess.run([self.program, option], stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, **dict(environment)})
        if done.returncode != 0:
            raise HelpError(f"{self.program} {option}: exit status {done.returncode}")
        return done.stdout

    def read(self, line):
        option, short = OPTION.match(line), SHORT.match(line)
        if self.tail or (self.options and line and not line.startswith(" ")):
            self.tail.append(line)
        elif USAGE.match(line) and not self.options:
            self.usages.append(USAGE.match(line))
        elif option:
            self.options.append(Option(option["short"], option["long"], option["value"], bool(option["optional"]), option["text"]))
        elif short:
            self.options.append(Option(short["short"], None, None, False, short["text"]))
        elif self.options and CONTINUED.match(line):
            self.options[-1].text += CONTINUED.match(line)["text"]
        elif not self.options:
            self.intro.append(line)

    def own_tail(self):
        """The tail without the paragraph that argp adds."""
        lines = [line for line in self.tail if not line.startswith(OF_ARGP)]
        while lines and not lines[0]:
            del lines[0]
        return lines
