"""Packs the standard library with the filter of the current folder's `chain.toml` and prints its size.

    python3 measure.py

The archive must come back byte for byte, through a decoder that may use no more than MEMORY_CEILING bytes.
The same chain gives the same number every time.
"""

from __future__ import annotations

import lzma
import sys
import sysconfig
import tomllib
import zlib
from pathlib import Path

CHAIN = Path("chain.toml")
MEMORY_CEILING = 2 * 1024 * 1024
PACKAGES = (
    "asyncio",
    "collections",
    "concurrent",
    "email",
    "http",
    "importlib",
    "json",
    "logging",
    "urllib",
    "xml",
)
MODES = {"fast": lzma.MODE_FAST, "normal": lzma.MODE_NORMAL}
FINDERS = {"hc3": lzma.MF_HC3, "hc4": lzma.MF_HC4, "bt2": lzma.MF_BT2, "bt3": lzma.MF_BT3, "bt4": lzma.MF_BT4}
TEXTS = {"mode": MODES, "mf": FINDERS}
NUMBERS = ("dict_size", "nice_len", "depth", "lc", "lp", "pb")


def main() -> None:
    chain = read_chain()
    corpus, files = read_corpus()
    print(f"corpus: {files} files, {len(corpus) / 1e6:.2f} MB, crc32 {zlib.crc32(corpus):08x}")
    packed = pack(corpus, chain)
    check(packed, corpus, chain)
    print(f"packed to {len(packed) / len(corpus):.2%}; unpacks within {MEMORY_CEILING:,} bytes of memory")
    print(f"bytes: {len(packed)}")


def read_chain() -> dict[str, int | str]:
    """The constants of the filter, each of its type. Ends the program with a sentence where one is not."""
    try:
        chain = tomllib.loads(CHAIN.read_text("utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{CHAIN} cannot be read: {error}")
    if different := sorted(chain.keys() ^ {*TEXTS, *NUMBERS}):
        sys.exit(
            f"{CHAIN} must hold {', '.join((*TEXTS, *NUMBERS))}; missing or unknown: {', '.join(different)}"
        )
    for name, known in TEXTS.items():
        if chain[name] not in tuple(known):
            sys.exit(f"{name} in {CHAIN} is {chain[name]!r}, and must be one of {', '.join(known)}")
    for name in NUMBERS:
        if type(chain[name]) is not int:
            sys.exit(f"{name} in {CHAIN} is {chain[name]!r}, and must be a whole number")
    return chain


def read_corpus() -> tuple[bytes, int]:
    """The sources of PACKAGES, one after the other by their paths, and how many they are."""
    library = Path(sysconfig.get_path("stdlib"))
    if missing := [name for name in PACKAGES if not (library / name / "__init__.py").is_file()]:
        sys.exit(
            f"This Python lacks the sources of {', '.join(missing)} in {library}; use one that has them."
        )
    files = [file for name in PACKAGES for file in sorted((library / name).rglob("*.py"))]
    return b"".join(file.read_bytes() for file in files), len(files)


def pack(corpus: bytes, chain: dict[str, int | str]) -> bytes:
    """The corpus as one .xz stream. Ends the program when liblzma refuses the filter."""
    values = {name: TEXTS[name][str(value)] if name in TEXTS else value for name, value in chain.items()}
    try:
        return lzma.compress(corpus, check=lzma.CHECK_CRC32, filters=[{"id": lzma.FILTER_LZMA2, **values}])
    except (lzma.LZMAError, ValueError, OverflowError) as error:
        limits = "lc + lp may be 4 at most, pb 4, nice_len 2 to 273"
        sys.exit(f"liblzma refuses this chain ({error}): {described(chain)}. {limits}.")


def check(packed: bytes, corpus: bytes, chain: dict[str, int | str]) -> None:
    """Unpack under the memory ceiling and compare. Ends the program when either fails."""
    try:
        unpacked = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY_CEILING).decompress(packed)
    except lzma.LZMAError as error:
        sys.exit(
            f"This does not unpack within {MEMORY_CEILING:,} bytes of memory ({error}): {described(chain)}."
        )
    if unpacked != corpus:
        sys.exit(f"What was unpacked is not what was packed: {described(chain)}.")


def described(chain: dict[str, int | str]) -> str:
    """The chain on one line."""
    return ", ".join(f"{name} {value}" for name, value in chain.items())


if __name__ == "__main__":
    main()
