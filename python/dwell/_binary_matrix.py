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
_HEADER = struct.Struct("<8sIIqqqII12xI")  # magic, version, bytes of a value, rows, columns, nonzeros, bytes of a column, ...
_BLOCK = 1 << 16


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
        if len(raw) < _HEADER.size:
            self.fail(f"a header of {_HEADER.size} bytes", f"the end of the file after {len(raw)}")
        _, version, value_bytes, rows, cols, nonzeros, column_bytes, _, said = _HEADER.unpack(raw)
        if version != 1:
            self.fail("version 1 of the .dwell format", f"version {version}")
        if zlib.crc32(raw[:-4]) != said:
            self.fail(f"checksum {said:08x} of the header, as it says",
                      f"{zlib.crc32(raw[:-4]):08x}: the file is damaged")
        sound = value_bytes in (4, 8) and min(rows, cols, nonzeros) >= 0
        if not sound or column_bytes != (8 if cols > 0x7FFFFFFF else 4):
            self.fail("values of 4 or 8 bytes, and sizes of 0 or more", "others in the header")
        if max(rows, cols, nonzeros) > 0x7FFFFFFF:
            self.fail("at most 2147483647 rows, columns and nonzeros", f"{rows}, {cols} and {nonzeros}")
        sizes = [-(-n // 8) * 8 for n in (8 * (rows + 1), column_bytes * nonzeros, value_bytes * nonzeros)]
        wanted = _HEADER.size + sum(size + 4 * -(-size // _BLOCK) for size in sizes)
        found = os.fstat(self.file.fileno()).st_size
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


def read(file: BinaryIO, name: str) -> scipy.sparse.csr_array:
    """The matrix of a file that is open at its beginning. Raises ValueError where it is damaged or malformed."""
    reader = _Reader(file, name)
    rows, cols, nonzeros, column_bytes, value_bytes = reader.header()
    indptr = reader.section("<i8", rows + 1)
    indices = reader.section(f"<i{column_bytes}", nonzeros)
    data = reader.section(f"<f{value_bytes}", nonzeros)
    reader.verify()
    if indptr[0] != 0 or indptr[-1] != nonzeros or (np.diff(indptr) < 0).any():
        reader.fail(f"row_ptr from 0 to {nonzeros}, ascending", "others")
    first = np.zeros(nonzeros + 1, bool)
    first[indptr] = True  # entries that begin a row
    if nonzeros and (indices.min() < 0 or indices.max() >= cols or
                     (np.diff(indices) <= 0)[~first[1:nonzeros]].any()):
        reader.fail(f"columns from 0 to {cols - 1}, ascending in each row", "others")
    if not np.isfinite(data).all():
        reader.fail("finite values", "others")
    out = scipy.sparse.csr_array((data.astype(np.float64), indices.astype(np.int32), indptr.astype(np.int32)),
                                 shape=(rows, cols))
    out.has_canonical_format = True
    return out
