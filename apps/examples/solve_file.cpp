// SPDX-License-Identifier: MIT
// Reads a symmetric positive definite matrix from a Matrix Market file, solves A x = b for a b
// whose answer is all ones, and writes x: solve_file A.mtx x.mtx
#include <cstdio>
#include <dwell/io.hpp>
#include <exception>
#include <vector>

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: %s MATRIX.mtx ANSWER.mtx\n", argv[0]);
    return 1;
  }
  try {
    const dwell::csr<double> a = dwell::read_matrix_market(argv[1]).matrix;

    std::vector<double> b(a.rows), x(a.rows);  // x is zero: where the iteration starts
    for (dwell::index i = 0; i < a.rows; ++i)
      for (dwell::index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) b[i] += a.val[k];

    dwell::solve_options options;
    options.preconditioner = dwell::preconditioner::jacobi;
    options.rtol = 1e-10;
    const dwell::solve_report report = dwell::solve(dwell::device::best(), a.view(), b, x, options);

    std::printf("%s on %s (%s): %s after %d iterations, %.3g ms, residual %.2e\n", argv[1],
                report.device.c_str(), report.executor.c_str(),
                dwell::to_string(report.stopped).c_str(), report.iterations, 1e3 * report.solve_s,
                report.residual_relative_true);
    if (report.stopped != dwell::stop_reason::converged) return 2;
    dwell::write_matrix_market_vector(argv[2], x);
  } catch (const std::exception& e) {  // unreadable file, not symmetric, no memory, ...
    std::fprintf(stderr, "%s: %s\n", argv[0], e.what());
    return 1;
  }
}
