#!/usr/bin/env python3
"""The seed corpus of a fuzz target, into a new zip file or a folder.

    fuzz/target/seed_corpus.py TARGET OUT.zip|FOLDER

Of text_fuzzer it is the programs of corpus/. The other targets turn any bytes into a case, so theirs are bytes of a fixed random source, made
when they are wanted: stored ones would come to mean other cases with every change of a generator.
"""
import random
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LONGEST_TEXT = 8192   # bytes; longer programs only slow an engine down


def seeds(target):
    if target == "text_fuzzer":
        for path in sorted((ROOT / "corpus").rglob("*.tile")):
            if path.stat().st_size <= LONGEST_TEXT:
                yield "-".join(path.relative_to(ROOT / "corpus").parts), path.read_bytes()
        return
    source = random.Random(target)
    for number in range(128):
        yield f"random-{number:03}", source.randbytes(2 + 4 * number)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    target, out = sys.argv[1], Path(sys.argv[2])
    if out.suffix == ".zip":
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, data in seeds(target):
                archive.writestr(zipfile.ZipInfo(name), data)
    else:
        out.mkdir(parents=True, exist_ok=True)
        for name, data in seeds(target):
            (out / name).write_bytes(data)


main()
