// SPDX-License-Identifier: MIT
// Solves a system that a program holds in Eigen's types: the Laplacian of a square, 300 x 300
// points.
#include <cstdio>
#include <dwell/dwell.hpp>
#include <dwell/eigen.hpp>
#include <exception>
#include <vector>

int main() {
  try {
    const int side = 300, n = side * side;
    std::vector<Eigen::Triplet<double>> entries;
    for (int i = 0; i < n; ++i) {
      entries.emplace_back(i, i, 4.0);
      if (i % side != 0) entries.emplace_back(i, i - 1, -1.0);
      if (i % side != side - 1) entries.emplace_back(i, i + 1, -1.0);
      if (i >= side) entries.emplace_back(i, i - side, -1.0);
      if (i < n - side) entries.emplace_back(i, i + side, -1.0);
    }
    Eigen::SparseMatrix<double> a(n, n);
    a.setFromTriplets(entries.begin(), entries.end());

    const Eigen::VectorXd answer = Eigen::VectorXd::Random(n);
    const Eigen::VectorXd b = a * answer;
    Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
    const dwell::solve_report report = dwell::solve(dwell::device::best(), a, b, x);

    const double error = (x - answer).norm() / answer.norm();
    std::printf("%s, %s: %s after %d iterations, %.3g ms, relative error %.1e\n",
                report.device.c_str(), report.executor.c_str(),
                dwell::to_string(report.stopped).c_str(), report.iterations, 1e3 * report.solve_s,
                error);
    return report.stopped == dwell::stop_reason::converged && error < 1e-3 ? 0 : 2;
  } catch (const std::exception& e) {  // no such device, no memory, ...
    std::fprintf(stderr, "solve_eigen: %s\n", e.what());
    return 1;
  }
}
