# SPDX-License-Identifier: MIT
"""Matrices of files, and matrices made on the spot."""
from __future__ import annotations

import io
import os
import tarfile
import zlib
from typing import Any

import numpy as np
import scipy.sparse

from . import _binary_matrix, _core
from ._checks import word

_BANNER = b"%%matrixmarket"
# Limits for gzip files, those of the library's own reader: text is bounded by what the file justifies, not by what it
# unpacks to.
_TEXT_PER_BYTE, _TEXT_MORE = 64, 16 << 20


def csr_of(arrays: tuple[int, int, Any, Any, Any]) -> scipy.sparse.csr_array:
    rows, cols, indptr, indices, data = arrays
    out = scipy.sparse.csr_array((data, indices, indptr), shape=(rows, cols))
    out.has_canonical_format = True
    return out


def generate(kind: str) -> scipy.sparse.csr_array:
    """A generated matrix, the same bits on every machine, as ``dwell generate`` makes it.

    Parameters
    ----------
    kind : str
        "trefethen:N", "poisson2d:WxH", "poisson3d:WxHxD", "neumann2d:WxH", "neumann3d:WxHxD", "convection2d:WxH:PECLET",
        "helmholtz2d:WxH:WAVES", "anisotropic2d:WxH:WEAK", "jumps2d:WxH:RATIO", "elasticity2d:NXxNY[:POISSON]",
        "elasticity3d:NXxNYxNZ[:POISSON]", "box3d:N" or "like:NAME"; see ``generated_kinds``.

    Returns
    -------
    A : csr_array of float64 and int32

    Raises
    ------
    ValueError
        There is no such kind, or its size cannot be used.

    Examples
    --------
    >>> import dwell
    >>> dwell.generate("poisson2d:30x20").shape
    (600, 600)
    """
    return csr_of(_core.generate(word(kind, "kind")))


def generated_coordinates(kind: str) -> np.ndarray[Any, Any]:
    """Coordinates of the nodes of a generated matrix, in the order of its rows.

    Parameters
    ----------
    kind : str
        "elasticity2d:NXxNY[:POISSON]" or "elasticity3d:NXxNYxNZ[:POISSON]"; the free nodes, whose edges have length 1.

    Returns
    -------
    coordinates : array of float64, shape (nodes, 2) or (nodes, 3)

    Raises
    ------
    ValueError
        Another kind, which has no nodes, or a size that cannot be used.

    Examples
    --------
    >>> import dwell
    >>> dwell.generated_coordinates("elasticity2d:30x20").shape
    (630, 2)
    """
    dimension, values = _core.generate_coordinates(word(kind, "kind"))
    out: np.ndarray[Any, Any] = values.reshape(-1, dimension)
    return out


def generated_kinds() -> dict[str, str]:
    """What ``generate`` takes, and what each is.

    Examples
    --------
    >>> import dwell
    >>> "trefethen:N" in dwell.generated_kinds()
    True
    """
    return dict(_core.generated_kinds())


def read_matrix(path: str | os.PathLike[str]) -> scipy.sparse.csr_array:
    """A Matrix Market file: plain, compressed by gzip, or the .tar.gz that the SuiteSparse collection serves; or a .dwell
    file, as ``dwell convert`` writes it.

    Both triangles of a symmetric file; ones for a pattern; entries that occur twice are summed; explicit zeros are
    kept. What the file is, its first bytes say, not its name.

    Parameters
    ----------
    path : str or path

    Returns
    -------
    A : csr_array of float64 and int32
        Of complex128 where the file has complex numbers.

    Raises
    ------
    ValueError
        The file is malformed: "file:line: expected ..., found ...". Or it is compressed and its text has more than
        64 bytes for each of its own (and 16 MiB). Or a .dwell file is damaged, or has more than 2^31 - 1 nonzeros.
    OSError
        It cannot be read.
    """
    name = os.fsdecode(path)
    with open(name, "rb") as file:
        text = file.read(len(_binary_matrix.MAGIC))
        if _binary_matrix.is_binary(text, name):
            if not file.seekable():
                return _binary_matrix.read(io.BytesIO(text + file.read()), name)
            file.seek(0)
            return _binary_matrix.read(file, name)
        text += file.read()
    if text.startswith(b"\x1f\x8b"):
        text = _unpacked(text, name)
    return csr_of(_core.parse_matrix_market(text, name))


def _unpacked(packed: bytes, name: str) -> bytes:
    most = _TEXT_MORE + _TEXT_PER_BYTE * len(packed)
    try:
        text = _gunzipped(packed, name, most)
        if text[257:262] != b"ustar":
            return text
        with tarfile.open(fileobj=io.BytesIO(text), mode="r:") as archive:
            return _member(archive, name)
    except (zlib.error, tarfile.TarError) as error:
        raise ValueError(f"{name}: expected a whole gzip file, found {error}") from error


def _gunzipped(packed: bytes, name: str, most: int) -> bytes:
    """All members of a gzip file; what follows them must be another one."""
    parts: list[bytes] = []
    size = 0
    while packed:
        member = zlib.decompressobj(wbits=31)
        while not member.eof:
            block = member.decompress(packed, 1 << 20)
            packed = member.unconsumed_tail
            size += len(block)
            if not parts and block[257:262] != b"ustar" and not block.lower().startswith(_BANNER):
                raise ValueError(f"{name}:1: expected %%MatrixMarket, found a gzip file of something else")
            if size > most:
                raise ValueError(f"{name}: expected at most {most} bytes in so small a gzip file, found more")
            if not block and not packed and not member.eof:
                raise ValueError(f"{name}: expected a whole gzip file, found its end")
            parts.append(block)
        packed = member.unused_data
    return b"".join(parts)


def _member(archive: tarfile.TarFile, name: str) -> bytes:
    """NAME/NAME.mtx of NAME.tar.gz, as the collection has it beside NAME_b.mtx and the like."""
    stem = os.path.basename(name).removesuffix(".tgz").removesuffix(".tar.gz")
    wanted = f"{stem}/{stem}.mtx"
    for member in archive:
        if member.isfile() and member.name.removeprefix("./") == wanted:
            content = archive.extractfile(member)
            assert content is not None  # it is a file
            return content.read()
    raise ValueError(f"{name}: expected the member {wanted!r}, found none")
