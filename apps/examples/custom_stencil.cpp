// SPDX-License-Identifier: MIT
// custom_stencil: a stencil of one's own, which Dwell has never heard of, under every executor, and
// each answer compared bit by bit with that of a plain loop.
#include <dwell/custom_stencil.hpp>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

/// What is carried down and to the right, and sinks two rows at once: neither a star nor a box.
struct drift : dwell::linear_stencil<drift> {
  static constexpr const char* name = "drift";
  static constexpr int dims = 2;
  static constexpr dwell::tap taps[] = {{0, 0}, {0, -1}, {-1, 0}, {-2, 1}};  // {dy, dx}
};

namespace {

constexpr int rows = 67, columns = 131, steps = 25;

/// Expected values by two loops over the cells, which also add what comes from upper rows first:
/// the outermost two rows and columns stay as they are.
std::vector<double> by_loops(std::vector<double> u, const std::vector<double>& w) {
  for (int step = 0; step < steps; ++step) {
    const std::vector<double> before = u;
    const auto at = [&](int y, int x) { return before[static_cast<std::size_t>(y * columns + x)]; };
    for (int y = 2; y < rows - 2; ++y)
      for (int x = 2; x < columns - 2; ++x) {
        double v = w[3] * at(y - 2, x + 1);
        v = std::fma(w[2], at(y - 1, x), v);
        v = std::fma(w[0], at(y, x), v);
        v = std::fma(w[1], at(y, x - 1), v);
        u[static_cast<std::size_t>(y * columns + x)] = v;
      }
  }
  return u;
}

bool check(const char* executor, const dwell::grid<double>& start,
           const std::vector<double>& expected, const std::vector<double>& weights) {
  auto u = start;
  dwell::stencil_options options;
  options.executor = executor;
  options.weights = weights;
  options.steps = steps;
  const auto report = dwell::solve<drift>(dwell::device::cpu(2), u, options);
  const bool same =
      std::memcmp(u.cells().data(), expected.data(), expected.size() * sizeof(double)) == 0;
  std::printf("%-10s  %s, %d steps: %s\n", executor, report.shape.c_str(), report.steps,
              same ? "the bits of the plain loop" : "DIFFERENT BITS");
  return same && report.shape == "drift" && report.executor == executor && report.steps == steps;
}

}  // namespace

int main() try {
  const std::vector<double> weights = {0.4, 0.3, 0.2, 0.1};
  dwell::grid<double> start(dwell::extents(rows, columns));
  unsigned state = 1;
  for (double& v : start.cells()) v = (state = state * 1664525u + 1013904223u) * 0x1p-32;
  const auto expected = by_loops({start.cells().begin(), start.cells().end()}, weights);
  bool good = true;
  for (const char* executor : {"host-loop", "persistent", "temporal"})
    good = check(executor, start, expected, weights) && good;
  return good ? 0 : 2;
} catch (const dwell::error& e) {
  std::fprintf(stderr, "custom_stencil: %s\n", e.what());
  return 1;
}
