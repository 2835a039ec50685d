# SPDX-License-Identifier: MIT
"""Pictures of residuals."""
import numpy as np
import pytest

import dwell
from dwell import history


def write_csv(path, residuals):
    path.write_text("iteration,residual_norm,relative_residual\n" +
                    "".join(f"{k},{r},{r}\n" for k, r in enumerate(residuals)))
    return str(path)


def test_a_line_for_each_solve(tmp_path):
    pytest.importorskip("matplotlib")
    files = []
    for name in ("none", "amg"):
        solver = dwell.Solver(dwell.generate("poisson2d:30x20"), preconditioner=name, device="cpu", history=True)
        solver.solve(np.ones(600))
        norms = np.asarray(solver.report.history) / solver.report.rhs_norm
        files.append(f"{name}=" + write_csv(tmp_path / f"{name}.csv", norms))
    out = tmp_path / "all.svg"
    assert history.main([*files, "-o", str(out), "--title", "Poisson", "--target", "1e-5"]) == 0
    assert out.read_text().count("<!-- ") >= 5, "labels, as matplotlib writes them"
    for words in ("none (", "amg (", "Poisson"):
        assert words in out.read_text()


def test_the_name_of_the_file_is_the_label(tmp_path):
    label, residuals = history.read(write_csv(tmp_path / "jacobi.csv", [1.0, 0.5, 0.0]))
    assert (label, residuals) == ("jacobi", [1.0, 0.5, 0.0])
    assert history.read("a=b=" + str(tmp_path / "jacobi.csv"))[0] == "a=b"


@pytest.mark.parametrize("content, words", [
    (None, "No such file"), ("a,b\n1,2\n", "column relative_residual"), ("relative_residual\nx\n", "of numbers"),
    ("relative_residual\n", "found none"),
])
def test_bad_files_get_one_line(tmp_path, capsys, content, words):
    path = tmp_path / "x.csv"
    if content is not None:
        path.write_text(content)
    assert history.main([str(path), "-o", str(tmp_path / "y.svg")]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1 and not (tmp_path / "y.svg").exists()


def test_an_ending_that_is_no_format_is_refused(tmp_path, capsys):
    pytest.importorskip("matplotlib")
    path = write_csv(tmp_path / "x.csv", [1.0, 0.1])
    assert history.main([path, "-o", str(tmp_path / "y.nothing")]) == 1
    assert "y.nothing" in capsys.readouterr().err
