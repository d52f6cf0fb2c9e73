#!/usr/bin/env python3
"""Draws docs/picture.svg: what a terminal shows when kb answers from fixtures/docs.

    python3 scripts/picture.py target/release/kb
"""

import html
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata

COLUMNS = 100
CELL, LINE, MARGIN = 8.4, 19, 18  # pixels
COMMANDS = [
    ["search", "how is the pump primed?", "-k", "1"],
    ["search", "轴承温度过高怎么办", "-k", "1", "--quiet"],
    ["toc", "pump-station-manual.pdf", "--max-level", "1"],
]
COLOURS = {"31": "#f47067", "32": "#57ab5a", "33": "#e3b341", "36": "#76c7d0"}


def run(kb, folder, arguments):
    environment = {name: value for name, value in os.environ.items() if not name.startswith("KB_")}
    environment |= {"HOME": folder, "XDG_CONFIG_HOME": folder, "XDG_STATE_HOME": folder}
    command = [kb, *arguments, "--format", "table", "--color", "always", "--no-progress"]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=True).stdout


def width(text):
    return sum(2 if unicodedata.east_asian_width(letter) in "WF" else 1 for letter in text)


def spans(line):
    """The words of a line, each with its column and its style: a viewer's font may be wider or narrower than a cell."""
    column, style = 0, set()
    for piece in re.split(r"(\x1b\[[0-9;]*m)", line):
        if piece.startswith("\x1b"):
            for code in piece[2:-1].split(";"):
                style = set() if code in ("0", "") else style | {code}
        elif piece:
            for word in re.split(r"( +)", piece):
                if word.strip():
                    yield column, word, set(style)
                column += width(word)


def drawn(line, y):
    out = ""
    for column, piece, style in spans(line):
        colour = next((COLOURS[code] for code in sorted(style) if code in COLOURS), None)
        if colour is None:
            colour = "#8b949e" if "2" in style else "#e6edf3"
        weight = ' font-weight="bold"' if "1" in style else ""
        x = MARGIN + column * CELL
        length = f' textLength="{width(piece) * CELL:.1f}" lengthAdjust="spacingAndGlyphs"'
        out += f'<text x="{x:.1f}" y="{y}" fill="{colour}"{weight}{length}>{html.escape(piece)}</text>\n'
    return out


def main():
    kb = os.path.abspath(sys.argv[1])
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(os.path.join(here, "fixtures", "docs"), os.path.join(folder, "docs"))
        run(kb, folder, ["ingest", "docs", "--quiet"])
        lines = []
        for arguments in COMMANDS:
            shown = " ".join(f'"{word}"' if " " in word or "？" in word else word for word in arguments if word != "--quiet")
            lines += [f"\x1b[32m$\x1b[0m \x1b[1mkb {shown}\x1b[0m", *run(kb, folder, arguments).rstrip().split("\n"), ""]
    lines.pop()
    sizes = COLUMNS * CELL + 2 * MARGIN, len(lines) * LINE + 2 * MARGIN
    with open(os.path.join(here, "docs", "picture.svg"), "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {sizes[0]:.0f} {sizes[1]}" ')
        file.write('font-family="ui-monospace, Menlo, Consolas, monospace" font-size="14">\n')
        file.write('<rect width="100%" height="100%" rx="8" fill="#0d1117"/>\n')
        for number, line in enumerate(lines):
            file.write(drawn(line, MARGIN + 13 + number * LINE))
        file.write("</svg>\n")


if __name__ == "__main__":
    main()
