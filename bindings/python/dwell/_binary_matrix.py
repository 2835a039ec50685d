# SPDX-License-Identifier: MIT
"""Dwell's binary matrix files, .dwell (docs/reference/binary-matrix.md), read whole and verified."""
from __future__ import annotations

import os
import struct
import zlib
from typing import Any, BinaryIO, NoReturn

import numpy as np
import scipy.sparse

MAGIC = b"\x89DWELL\r\n"
# Signature, version, bytes of a value, rows, columns, nonzeros, bytes of a column, flags, reserved, checksum.
_HEADER = struct.Struct("<8sIIqqqII12sI")
_BLOCK = 1 << 16
_SYMMETRIC = 1


def is_binary(first: bytes, name: str) -> bool:
    """Whether a file with these first bytes is one, be they damaged; what else is named so is one unless it is text."""
    first = first[:len(MAGIC)]
    alike = sum(a == b for a, b in zip(first, MAGIC))
    if first == MAGIC or (alike >= 5 and not MAGIC.startswith(first)):
        return True
    return name.endswith(".dwell") and not first.startswith((b"%", b"\x1f\x8b", b"\xef\xbb\xbf%"))


def _shown(raw: bytes) -> str:
    return repr(raw)[2:-1]


class _Reader:
    """Sections of a file one after another."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.file, self.name = file, name
        self.at = _HEADER.size
        self.sums: list[tuple[int, list[int]]] = []

    def fail(self, expected: str, found: str) -> NoReturn:
        raise ValueError(f"{self.name}: expected {expected}, found {found}")

    def header(self) -> tuple[int, int, int, int, int]:
        raw = self.file.read(_HEADER.size)
        signature = raw[:len(MAGIC)]
        if not signature or not MAGIC.startswith(signature):
            if is_binary(signature, ""):
                self.fail(f"'{_shown(MAGIC)}' at the beginning of a .dwell file",
                          f"'{_shown(signature)}': the file is damaged")
            self.fail("a .dwell file", "other content" if signature else "an empty file")
        if len(raw) < _HEADER.size:
            self.fail(f"a header of {_HEADER.size} bytes", f"the end of the file after {len(raw)}")
        _, version, value_bytes, rows, cols, nonzeros, column_bytes, flags, reserved, said = _HEADER.unpack(raw)
        if version != 1:
            self.fail("version 1 of the .dwell format", f"version {version}")
        if zlib.crc32(raw[:-4]) != said:
            self.fail(f"checksum {said:08x} of the header, as it says",
                      f"{zlib.crc32(raw[:-4]):08x}: the file is damaged")
        if value_bytes not in (4, 8):
            self.fail("values of 4 or 8 bytes", f"{value_bytes}")
        if min(rows, cols, nonzeros) < 0:
            self.fail("sizes of 0 or more", f"{rows} rows, {cols} columns and {nonzeros} nonzeros")
        wide = 8 if cols > 0x7FFFFFFF else 4
        if column_bytes != wide:
            self.fail(f"{wide} bytes for each of {cols} columns", f"{column_bytes}")
        if flags & ~_SYMMETRIC or any(reserved):
            self.fail("zeros in what this version reserves", "something else")
        if flags & _SYMMETRIC and rows != cols:
            self.fail("as many rows as columns of a symmetric matrix", f"{rows} and {cols}")
        if max(rows, cols, nonzeros) > 0x7FFFFFFF:
            self.fail("at most 2147483647 rows, columns and nonzeros", f"{rows}, {cols} and {nonzeros}")
        sizes = [-(-n // 8) * 8 for n in (8 * (rows + 1), column_bytes * nonzeros, value_bytes * nonzeros)]
        wanted = _HEADER.size + sum(size + 4 * -(-size // _BLOCK) for size in sizes)
        found = self.file.seek(0, os.SEEK_END)
        self.file.seek(_HEADER.size)
        if found != wanted:
            self.fail(f"{wanted} bytes for {rows} rows and {nonzeros} nonzeros", f"{found} bytes")
        return rows, cols, nonzeros, column_bytes, value_bytes

    def section(self, dtype: str, count: int) -> np.ndarray[Any, Any]:
        raw = np.empty(-(-count * np.dtype(dtype).itemsize // 8) * 8, np.uint8)
        if self.file.readinto(raw.data) < raw.size:  # type: ignore[attr-defined]
            self.fail("a readable file", "it became shorter while it was read")
        self.sums.append((self.at, [zlib.crc32(raw.data[k:k + _BLOCK]) for k in range(0, raw.size, _BLOCK)]))
        self.at += raw.size
        return raw.view(dtype)[:count]

    def verify(self) -> None:
        for begin, found in self.sums:
            said = np.frombuffer(self.file.read(4 * len(found)), "<u4")
            for k, (one, other) in enumerate(zip(said.tolist(), found)):
                if one != other:
                    at = begin + k * _BLOCK
                    self.fail(f"checksum {one:08x} of the block at byte {at}", f"{other:08x}: the file is damaged")


def row_of(indptr: np.ndarray[Any, Any], entry: int) -> str:
    return f"{np.searchsorted(indptr, entry, side='right') - 1} (counted from 0)"


def read(file: BinaryIO, name: str) -> scipy.sparse.csr_array:
    """The matrix of a file that can be sought in and is open at its beginning. Raises ValueError where it is damaged or malformed."""
    reader = _Reader(file, name)
    rows, cols, nonzeros, column_bytes, value_bytes = reader.header()
    indptr = reader.section("<i8", rows + 1)
    indices = reader.section(f"<i{column_bytes}", nonzeros)
    data = reader.section(f"<f{value_bytes}", nonzeros)
    reader.verify()
    if indptr[0] != 0 or indptr[-1] != nonzeros or (np.diff(indptr) < 0).any():
        reader.fail(f"row_ptr from 0 to {nonzeros}, ascending", f"{indptr[0]} to {indptr[-1]}, or others that fall")
    first = np.zeros(nonzeros + 1, bool)
    first[indptr] = True  # entries that begin a row
    wrong = (indices < 0) | (indices >= cols)
    wrong[1:] |= (np.diff(indices) <= 0) & ~first[1:nonzeros]
    if wrong.any():
        at = int(np.argmax(wrong))
        reader.fail(f"columns from 0 to {cols - 1}, ascending in each row", f"{indices[at]} in row {row_of(indptr, at)}")
    if not np.isfinite(data).all():
        at = int(np.argmin(np.isfinite(data)))
        reader.fail("finite values", f"{data[at]} in row {row_of(indptr, at)}")
    out = scipy.sparse.csr_array((data.astype(np.float64), indices.astype(np.int32), indptr.astype(np.int32)),
                                 shape=(rows, cols))
    out.has_canonical_format = True
    return out
