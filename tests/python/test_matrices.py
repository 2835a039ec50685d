# SPDX-License-Identifier: MIT
"""Files and generated matrices, beside scipy.io."""
import gzip
import io
import tarfile

import numpy as np
import pytest
import scipy.io
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
    return sorted(p for p in (ROOT / "tests/data/invalid").glob("*") if p.name != "expected.txt")


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
