"""Writes parts of packages as seeds: parts.py INTO FOLDER ENDING PART…

A part is the end of a name in the package; the next part of the same end is the next file. NUL separates them.
"""

import pathlib
import sys
import zipfile

into, folder, ending, *parts = sys.argv[1:]
for path in pathlib.Path(folder).rglob(f"*.{ending}"):
    try:
        package = zipfile.ZipFile(path)
        names = [name for name in package.namelist() if package.getinfo(name).file_size < 100_000]
        taken = []
        for part in parts:
            name = next((name for name in names if name.endswith(part)), None)
            taken.append(package.read(name) if name else b"")
            names = [other for other in names if other != name]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError):
        continue
    pathlib.Path(into, path.stem).write_bytes(b"\0".join(taken))
