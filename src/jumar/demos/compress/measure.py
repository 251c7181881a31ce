"""Packs the Python standard library with the filter of `chain.toml` in the current folder and prints how many bytes that takes.

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
    "asyncio", "collections", "concurrent", "email", "http", "importlib", "json", "logging", "multiprocessing",
    "urllib", "xml",
)  # fmt: skip
CONSTANTS = {"dict_size": int, "mode": str, "mf": str, "nice_len": int, "depth": int, "lc": int, "lp": int, "pb": int}
MODES = {"fast": lzma.MODE_FAST, "normal": lzma.MODE_NORMAL}
FINDERS = {"hc3": lzma.MF_HC3, "hc4": lzma.MF_HC4, "bt2": lzma.MF_BT2, "bt3": lzma.MF_BT3, "bt4": lzma.MF_BT4}
TEXT = {"mode": MODES, "mf": FINDERS}


def main() -> None:
    chain = read_chain()
    corpus, files = read_corpus()
    print(f"corpus: {files} files, {len(corpus) / 1e6:.2f} MB, crc32 {zlib.crc32(corpus):08x}")
    packed = pack(corpus, chain)
    check(packed, corpus, chain)
    print(f"packed to {len(packed) / len(corpus):.2%} of that, and unpacked again, within {MEMORY_CEILING:,} bytes of memory")
    print(f"bytes: {len(packed)}")


def read_chain() -> dict[str, int | str]:
    """The constants of the filter, each of its type. Ends the program with a sentence where one is not."""
    try:
        chain = tomllib.loads(CHAIN.read_text("utf-8"))
    except (OSError, ValueError) as error:
        sys.exit(f"{CHAIN} cannot be read: {error}")
    if chain.keys() != CONSTANTS.keys():
        different = ", ".join(sorted(chain.keys() ^ CONSTANTS.keys()))
        sys.exit(f"{CHAIN} must hold {', '.join(CONSTANTS)}, and nothing else; missing or unknown: {different}")
    for name, kind in CONSTANTS.items():
        if type(chain[name]) is not kind:
            sys.exit(f"{name} in {CHAIN} must be {'a text' if kind is str else 'a whole number'}, and is {chain[name]!r}")
    for name, known in TEXT.items():
        if chain[name] not in known:
            sys.exit(f"{name} in {CHAIN} is {chain[name]!r}; liblzma knows {', '.join(known)}")
    return chain


def read_corpus() -> tuple[bytes, int]:
    """The sources of PACKAGES, one after the other in the order of their paths, and how many files they are."""
    library = Path(sysconfig.get_path("stdlib"))
    files = [file for name in PACKAGES for file in sorted((library / name).rglob("*.py"))]
    if missing := [name for name in PACKAGES if not (library / name / "__init__.py").is_file()]:
        sys.exit(f"This Python has no sources of {', '.join(missing)} in {library}; use one that was installed with them.")
    return b"".join(file.read_bytes() for file in files), len(files)


def pack(corpus: bytes, chain: dict[str, int | str]) -> bytes:
    """The corpus as one .xz stream. Ends the program when liblzma refuses the filter."""
    numbers = {name: TEXT[name][str(value)] if name in TEXT else value for name, value in chain.items()}
    try:
        return lzma.compress(corpus, check=lzma.CHECK_CRC32, filters=[{"id": lzma.FILTER_LZMA2, **numbers}])
    except (lzma.LZMAError, ValueError, OverflowError) as error:
        sys.exit(f"liblzma refuses this chain ({error}): {described(chain)}. lc + lp may be 4 at most, pb 4, nice_len 2 to 273.")


def check(packed: bytes, corpus: bytes, chain: dict[str, int | str]) -> None:
    """Unpack under the memory ceiling and compare. Ends the program when either fails."""
    try:
        unpacked = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=MEMORY_CEILING).decompress(packed)
    except lzma.LZMAError as error:
        sys.exit(f"The archive cannot be unpacked within {MEMORY_CEILING:,} bytes of memory ({error}): {described(chain)}.")
    if unpacked != corpus:
        sys.exit(f"What was unpacked is not what was packed: {described(chain)}.")


def described(chain: dict[str, int | str]) -> str:
    """The chain on one line."""
    return ", ".join(f"{name} {chain[name]}" for name in CONSTANTS)


if __name__ == "__main__":
    main()
