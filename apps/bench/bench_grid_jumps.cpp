// SPDX-License-Identifier: MIT
// Iterations of dwell::grid_solver where k jumps in blocks: chessboards of 1 and the jump, blocks
// of either at random, blocks of powers of the jump between. Of each block size and jump some grids
// of random sizes and positions of the blocks, and each also with its first and last axis
// exchanged. Counted until the residual of the iteration first meets 1e-8: the true one cannot be
// smaller than rounding of u allows. Prints a row of a table for each.
//
//   bench-grid-jumps MOST DIMENSIONS GRIDS      unknowns along an axis: from half of MOST on
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dwell/core.hpp"

namespace {

using axes = std::array<int, 3>;  // z, y, x

/// k of blocks, drawn from a seed.
class blocks {
 public:
  blocks(std::string pattern, int block, double jump, int most, int dims)
      : pattern_(std::move(pattern)),
        block_(block),
        jump_(jump),
        most_(most),
        dims_(dims),
        random_(unsigned(block * 7 + int(std::log10(jump)))) {}

  /// The next grid.
  void draw() {
    std::size_t all = 1;
    for (std::size_t a = first(); a < 3; ++a)
      n_[a] = most_ / 2 + int(random_() % unsigned(most_ / 2));
    for (int& o : offset_) o = int(random_() % unsigned(2 * block_));
    for (std::size_t a = 0; a < 3; ++a) {
      count_[a] = (n_[a] + 2 * block_) / block_ + 1;
      all *= std::size_t(count_[a]);
    }
    of_block_.resize(all);
    for (double& e : of_block_) {
      const double part = double(random_()) * 0x1p-32;
      e = pattern_ == "two values" ? (part > 0.5 ? jump_ : 1) : std::pow(jump_, part);
    }
  }
  std::vector<int> cells(bool exchanged) const {
    std::vector<int> c(n_.begin() + std::ptrdiff_t(first()), n_.end());
    if (exchanged) std::swap(c.front(), c.back());
    return c;
  }
  std::vector<double> k(bool exchanged) const {
    axes m = n_, p;
    if (exchanged) std::swap(m[first()], m[2]);
    std::vector<double> all;
    for (p[0] = 0; p[0] < m[0]; ++p[0])
      for (p[1] = 0; p[1] < m[1]; ++p[1])
        for (p[2] = 0; p[2] < m[2]; ++p[2]) {
          axes at = p;
          if (exchanged) std::swap(at[first()], at[2]);
          for (std::size_t a = 0; a < 3; ++a)
            at[a] = a < first() ? 0 : (at[a] + offset_[a]) / block_;
          all.push_back(
              pattern_ == "chessboard"
                  ? ((at[0] + at[1] + at[2]) % 2 ? jump_ : 1.0)
                  : of_block_[std::size_t((at[0] * count_[1] + at[1]) * count_[2] + at[2])]);
        }
    return all;
  }

 private:
  std::size_t first() const { return std::size_t(3 - dims_); }

  std::string pattern_;
  int block_;
  double jump_;
  int most_, dims_;
  std::mt19937 random_;
  axes n_{1, 1, 1}, offset_{}, count_{};
  std::vector<double> of_block_;
};

constexpr int limit = 200;

int iterations(const std::vector<int>& cells, const std::vector<double>& k, const char* coarse) {
  dwell::grid_description<double> d{.cells = cells};
  d.k_cells = k;
  dwell::grid_options o;
  o.coarse = coarse;
  o.max_iterations = limit;
  o.history = true;
  dwell::grid_solver<double> solver(dwell::device::cpu(1), d, o);
  std::vector<double> f(k.size(), 1.0), u(k.size());
  const dwell::grid_report r = solver.solve(f, u);
  for (std::size_t i = 0; i < r.history.size(); ++i)
    if (r.history[i] <= 1e-8 * r.rhs_norm) return int(i);
  return limit;
}

}  // namespace

int main(int argc, char** argv) {
  const int most = argc > 1 ? std::atoi(argv[1]) : 300, dims = argc > 2 ? std::atoi(argv[2]) : 2,
            grids = argc > 3 ? std::atoi(argv[3]) : 4;
  if (most < 4 || dims < 2 || dims > 3 || grids < 1) {
    std::fprintf(stderr, "bench-grid-jumps: expected MOST >= 4, 2 or 3 dimensions, GRIDS >= 1\n");
    return 2;
  }
  const char* const ways[] = {"averaged", "auto", "galerkin"};
  std::printf("| pattern | block | jump | averaged: mean, most | auto | galerkin | exchanged |\n");
  std::printf("|-|-:|-:|-:|-:|-:|-:|\n");
  for (const char* pattern : {"chessboard", "two values", "powers"})
    for (const int block : {1, 2, 3, 5, 8, 16, 30, 57})
      for (const double jump : {1e2, 1e4, 1e6, 1e8}) {
        if (2 * block > most) continue;
        blocks b(pattern, block, jump, most, dims);
        double sum[3] = {};
        int worst[3] = {}, exchange = 0;
        for (int g = 0; g < grids; ++g) {
          b.draw();
          for (int w = 0; w < 3; ++w) {
            int found[2];
            for (const bool exchanged : {false, true}) {
              const int n = iterations(b.cells(exchanged), b.k(exchanged), ways[w]);
              sum[w] += n;
              worst[w] = std::max(worst[w], n);
              found[exchanged] = n;
            }
            if (w == 2) exchange = std::max(exchange, std::abs(found[0] - found[1]));
          }
        }
        std::printf("| %s | %d | %.0e |", pattern, block, jump);
        for (int w = 0; w < 3; ++w) std::printf(" %.1f, %d |", sum[w] / 2 / grids, worst[w]);
        std::printf(" %d |\n", exchange);
        std::fflush(stdout);
      }
}
