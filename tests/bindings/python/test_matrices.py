# SPDX-License-Identifier: MIT
"""Files and generated matrices, beside scipy.io."""
import gzip
import io
import os
import struct
import tarfile
import threading
import zlib

import numpy as np
import pytest
import scipy.io
import scipy.sparse
from conftest import ROOT
from oracles import random_spd

import dwell

TEXT = b"%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 4\n2 1 1.5\n"


@pytest.mark.parametrize("kind", ["trefethen:20", "poisson2d:5x4", "poisson3d:3x4x5", "box3d:4"])
def test_generated(kind):
    a = dwell.generate(kind)
    assert a.dtype == np.float64 and a.indices.dtype == np.int32 and a.has_sorted_indices
    assert abs(a - a.T).max() == 0 and np.linalg.eigvalsh(a.toarray()).min() > 0
    assert any(kind.startswith(known.partition(":")[0]) for known in dwell.generated_kinds())


def test_a_generated_matrix_by_hand():
    line = dwell.generate("poisson2d:3x1").toarray()
    assert np.array_equal(line, [[4, -1, 0], [-1, 4, -1], [0, -1, 4]])
    with pytest.raises(ValueError, match="trefethen"):
        dwell.generate("trefethen:0")
    with pytest.raises(ValueError):
        dwell.generate("nothing")


def test_files_as_scipy_reads_them(tmp_path):
    a = random_spd(3, 30)
    plain, packed, archive = tmp_path / "a.mtx", tmp_path / "a.mtx.gz", tmp_path / "a.tar.gz"
    scipy.io.mmwrite(plain, a)
    packed.write_bytes(gzip.compress(plain.read_bytes()))
    with tarfile.open(archive, "w:gz") as out:
        out.add(plain, "a/a_b.mtx")
        out.add(plain, "a/a.mtx")
    for path in (plain, packed, archive, str(plain)):
        found = dwell.read_matrix(path)
        assert abs(found - scipy.io.mmread(plain, spmatrix=False).tocsr()).max() == 0 and found.indices.dtype == np.int32


@pytest.mark.parametrize("symmetry", ["general", "symmetric", "hermitian", "skew-symmetric"])
def test_complex_files_as_scipy_reads_them(tmp_path, symmetry):
    rng = np.random.default_rng(5)
    for n in (2, 7, 30):
        half = np.tril(rng.standard_normal((n, n)) + 1j * rng.standard_normal((n, n))) * (rng.random((n, n)) < 0.4)
        half[1, 0] = 1 + 2j
        below = np.tril(half, -1)
        a = {"general": half, "symmetric": half + below.T, "skew-symmetric": below - below.T,
             "hermitian": below + below.conj().T + np.diag(half.diagonal().real + 1)}[symmetry]
        path = tmp_path / "a.mtx"
        scipy.io.mmwrite(path, scipy.sparse.coo_array(a), symmetry=symmetry)
        found = dwell.read_matrix(path)
        assert found.dtype == np.complex128 and found.indices.dtype == np.int32 and found.has_sorted_indices
        assert np.array_equal(found.toarray(), a)


def test_real_matrices_as_scipy_reads_them(matrices):
    for path in sorted(matrices.glob("*.mtx.gz"), key=lambda p: p.stat().st_size)[:6]:
        found, wanted = dwell.read_matrix(path), scipy.io.mmread(path, spmatrix=False).tocsr()
        assert found.shape == wanted.shape and abs(found - wanted).max() == 0


def valid_files():
    return sorted(p for p in (ROOT / "tests/data/valid").glob("*") if p.name.endswith((".mtx", ".gz")))


@pytest.mark.parametrize("path", valid_files(), ids=lambda p: p.name)
def test_all_valid_files_are_read(path):
    dwell.read_matrix(path)


def invalid_files():
    taken = ("expected.txt", "banner_field_complex.mtx")  # the latter is a matrix, of complex numbers
    return sorted(p for p in (ROOT / "tests/data/invalid").glob("*") if p.name not in taken)


@pytest.mark.parametrize("path", invalid_files(), ids=lambda p: p.name)
def test_all_invalid_files_are_refused_in_one_line(path):
    with pytest.raises(ValueError, match=path.name.replace(".", r"\.")) as caught:
        dwell.read_matrix(path)
    assert "\n" not in str(caught.value)


def test_what_unpacks_to_far_more_is_refused(tmp_path):
    bomb = tmp_path / "bomb.mtx.gz"
    bomb.write_bytes(gzip.compress(TEXT + b"%" * (64 << 20)))
    with pytest.raises(ValueError, match="expected at most"):
        dwell.read_matrix(bomb)
    archive = tmp_path / "bomb.tar.gz"
    with tarfile.open(archive, "w:gz") as out:
        member = tarfile.TarInfo("bomb/bomb.mtx")
        member.size = 64 << 20
        out.addfile(member, io.BytesIO(bytes(member.size)))
    with pytest.raises(ValueError, match="expected at most"):
        dwell.read_matrix(archive)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        dwell.read_matrix(tmp_path / "nothing.mtx")


def binary_file(a, value_bytes=8):
    """The bytes of a .dwell file, as the reference page says."""
    padded = [x + bytes(-len(x) % 8) for x in (a.indptr.astype("<i8").tobytes(), a.indices.astype("<i4").tobytes(),
                                               a.data.astype(f"<f{value_bytes}").tobytes())]
    head = struct.pack("<8sIIqqqII12x", b"\x89DWELL\r\n", 1, value_bytes, *a.shape, a.nnz, 4, 0)
    sums = [struct.pack("<I", zlib.crc32(x[k:k + 65536])) for x in padded for k in range(0, len(x), 65536)]
    return head + struct.pack("<I", zlib.crc32(head)) + b"".join(padded + sums)


def test_binary_files(tmp_path):
    path = tmp_path / "a.mtx"  # what it is, its first bytes say
    for a in (random_spd(3, 30), dwell.generate("poisson3d:20x20x30"), scipy.sparse.csr_array((3, 0)),
              scipy.sparse.csr_array(np.array([[0.0, 0.1, -3], [0, 0, 0]]))):
        a = scipy.sparse.csr_array(a)
        for size, kind in ((8, np.float64), (4, np.float32)):
            path.write_bytes(binary_file(a, size))
            found = dwell.read_matrix(path)
            assert found.shape == a.shape and found.dtype == np.float64 and found.indices.dtype == np.int32
            assert np.array_equal(found.indptr, a.indptr) and np.array_equal(found.indices, a.indices)
            assert np.array_equal(found.data, a.data.astype(kind))


def with_right_checksum(head, rest):
    return head[:60] + struct.pack("<I", zlib.crc32(head[:60])) + rest


@pytest.mark.parametrize(("at", "bytes_", "expected"), [
    (44, struct.pack("<I", 2), "zeros in what this version reserves"),
    (48, b"\1", "zeros in what this version reserves"),
    (59, b"\1", "zeros in what this version reserves"),
    (12, struct.pack("<I", 2), "values of 4 or 8 bytes"),
    (40, struct.pack("<I", 8), "4 bytes for each of 12 columns"),
    (16, struct.pack("<q", -1), "sizes of 0 or more"),
    (8, struct.pack("<I", 2), "version 1"),
])
def test_headers_that_the_library_refuses(tmp_path, at, bytes_, expected):
    good, path = binary_file(scipy.sparse.csr_array(random_spd(3, 12))), tmp_path / "a.dwell"
    head = good[:at] + bytes_ + good[at + len(bytes_):64]
    path.write_bytes(with_right_checksum(head, good[64:]))
    with pytest.raises(ValueError, match=f"expected {expected}"):
        dwell.read_matrix(path)


def test_symmetric_binary_files_are_square(tmp_path):
    path = tmp_path / "a.dwell"
    for shape, refused in (((3, 3), False), ((3, 4), True)):
        good = binary_file(scipy.sparse.csr_array(np.ones(shape)))
        path.write_bytes(with_right_checksum(good[:44] + struct.pack("<I", 1) + good[48:64], good[64:]))
        if refused:
            with pytest.raises(ValueError, match="as many rows as columns of a symmetric matrix"):
                dwell.read_matrix(path)
        else:
            assert dwell.read_matrix(path).shape == shape


@pytest.mark.parametrize("name", ["a.dwell", "a.mtx", "a"])
def test_damaged_signatures_are_named(tmp_path, name):
    path, good = tmp_path / name, binary_file(scipy.sparse.csr_array(random_spd(3, 12)))
    random = np.random.default_rng(8)
    for k in range(8):
        path.write_bytes(good[:k] + bytes([good[k] ^ 1 << random.integers(8)]) + good[k + 1:])
        with pytest.raises(ValueError, match="at the beginning of a .dwell file, found '.*': the file is damaged"):
            dwell.read_matrix(path)
    path.write_bytes(good.replace(b"\r\n", b"\n", 1))
    with pytest.raises(ValueError, match="the file is damaged"):
        dwell.read_matrix(path)


def test_binary_files_come_by_a_pipe(tmp_path):
    a, pipe = scipy.sparse.csr_array(random_spd(3, 12)), tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(binary_file(a)))
    writer.start()
    assert abs(dwell.read_matrix(pipe) - a).max() == 0
    writer.join()


def test_damaged_binary_files(tmp_path):
    a = scipy.sparse.csr_array(random_spd(3, 12))
    path, good = tmp_path / "a.dwell", binary_file(a)
    for k in range(len(good)):
        path.write_bytes(good[:k] + bytes([good[k] ^ 16]) + good[k + 1:])
        with pytest.raises(ValueError, match="expected"):
            dwell.read_matrix(path)
        if k % 7 == 0:
            path.write_bytes(good[:k])
            with pytest.raises(ValueError, match="expected"):
                dwell.read_matrix(path)
    for change in ("indptr", "indices", "data"):
        b = a.copy()
        getattr(b, change)[3] = {"indptr": 999, "indices": 12, "data": np.nan}[change]
        path.write_bytes(binary_file(b))
        with pytest.raises(ValueError, match="expected"):
            dwell.read_matrix(path)
    b = a.copy()
    b.indices[0], b.indices[1] = b.indices[1], b.indices[0]
    path.write_bytes(binary_file(b))
    with pytest.raises(ValueError, match="ascending"):
        dwell.read_matrix(path)
