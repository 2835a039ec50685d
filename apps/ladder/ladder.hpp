// SPDX-License-Identifier: MIT
// What the programs of the ladder share on the host: the command line, the matrix, the check of the
// answer, the report. Plain C++, no CUDA.
#pragma once
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <numbers>
#include <string>
#include <vector>

namespace ladder {

enum exit_code : int { done = 0, wrong = 1, bad_input = 2, no_gpu = 4 };  // 4 as of `dwell`

/// Ends the program with one line.
[[noreturn]] inline void leave(exit_code code, const std::string& why) {
  std::fprintf(stderr, "ladder: %s\n", why.c_str());
  std::exit(code);
}

constexpr int most_rows = 1'000'000;
struct request {
  int side = 600, iterations = 5000;
  bool row = false;        // one line for run.sh instead of the report
  bool cpu = false;        // 5_program: on the CPU
  int cached = most_rows;  // 4_cached_matrix: rows of a block in shared memory, at most
};

inline int number(const char* word, const char* what, int most) {
  int value = 0;
  const char* end = word + std::strlen(word);
  const auto [at, error] = std::from_chars(word, end, value);
  if (error != std::errc() || at != end || value < 1 || value > most)
    leave(bad_input, std::string(what) + ": expected a number from 1 to " + std::to_string(most) +
                         ", found '" + word + "'");
  return value;
}

/// [SIDE [ITERATIONS]] [--row], and what a program has besides: --cpu or --cached=ROWS.
inline request parse(int argc, char** argv, const std::string& more = "") {
  const std::string usage = "[SIDE [ITERATIONS]] [--row]" + (more.empty() ? "" : " [" + more + "]");
  request wanted;
  int numbers = 0;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    if (word == "--help" || word == "-h") {
      std::printf("usage: %s %s\n", argv[0], usage.c_str());
      std::exit(done);
    } else if (word == "--row") {
      wanted.row = true;
    } else if (word == "--cpu" && more == word) {
      wanted.cpu = true;
    } else if (word.starts_with("--cached=") && more.starts_with("--cached=")) {
      wanted.cached = number(argv[k] + 9, "ROWS", most_rows);
    } else if (numbers == 2 || word.starts_with("--")) {
      leave(bad_input, "expected " + usage + ", found '" + word + "'");
    } else if (++numbers == 1) {
      wanted.side = number(argv[k], "SIDE", 4000);
    } else {
      wanted.iterations = number(argv[k], "ITERATIONS", 1'000'000);
    }
  }
  return wanted;
}

// [matrix begin]
/// A matrix in compressed sparse rows: those of row i are at row_ptr[i] to row_ptr[i + 1].
struct csr {
  int rows = 0;
  std::vector<int> row_ptr{0}, col;
  std::vector<double> val;
};
constexpr int most_in_a_row = 5;

/// The 5-point Laplacian of side x side points: 4 on the diagonal, -1 for each neighbour.
inline csr poisson(int side) {
  csr a;
  a.rows = side * side;
  const auto put = [&](int column, double value) {
    a.col.push_back(column);
    a.val.push_back(value);
  };
  for (int i = 0; i < a.rows; ++i) {
    if (i >= side) put(i - side, -1);
    if (i % side > 0) put(i - 1, -1);
    put(i, 4);
    if (i % side < side - 1) put(i + 1, -1);
    if (i < a.rows - side) put(i + side, -1);
    a.row_ptr.push_back(static_cast<int>(a.col.size()));
  }
  return a;
}
// [matrix end]

/// Nothing in it is symmetric, so that elements of a wrong row are noticed.
inline std::vector<double> right_hand_side(int rows) {
  std::vector<double> b(rows);
  for (int i = 0; i < rows; ++i) b[i] = 1.0 + i % 7;
  return b;
}

/// What a rung has to show.
struct outcome {
  std::string name, where;
  double us = 0;       // per iteration
  double bytes = 0;    // per iteration, to and from L2 and device memory
  double carried = 0;  // ||r|| as the iteration has it
  std::vector<double> x = {};
};

/// 64 bits of all bits of x (FNV-1a): equal where two runs are equal to the last bit.
inline std::uint64_t bits_of(const std::vector<double>& x) {
  std::uint64_t hash = 14695981039346656037u;
  for (const double v : x) {
    std::uint64_t word;
    std::memcpy(&word, &v, sizeof v);
    for (int k = 0; k < 8; ++k) hash = (hash ^ (word >> 8 * k & 255)) * 1099511628211u;
  }
  return hash;
}

// [check begin]
/// The residual of x, computed here in f64, must be what the iteration says it is, and at most what
/// the theory of conjugate gradients allows after so many iterations: with the condition K of this
/// matrix, ||r|| / ||b|| <= 2 sqrt(K) ((sqrt(K) - 1) / (sqrt(K) + 1))^iterations. Rounding may add
/// 1e-8 to either.
inline bool is_right(const csr& a, const std::vector<double>& b, const request& wanted,
                     const outcome& of, double& residual) {
  double rr = 0, bb = 0;
  for (int i = 0; i < a.rows; ++i) {
    double r = b[i];
    for (int k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) r -= a.val[k] * of.x[a.col[k]];
    rr += r * r;
    bb += b[i] * b[i];
  }
  residual = std::sqrt(rr / bb);
  const double root = 1 / std::tan(std::numbers::pi / (2.0 * (wanted.side + 1)));  // root of K
  const double bound = 2 * root * std::pow((root - 1) / (root + 1), wanted.iterations);
  return residual <= bound + 1e-8 && std::abs(residual - of.carried / std::sqrt(bb)) <= 1e-8;
}
// [check end]

/// Prints what came out; the exit code of the program.
inline int report(const csr& a, const std::vector<double>& b, const request& wanted,
                  const outcome& of) {
  double residual = 0;
  const bool right = is_right(a, b, wanted, of, residual);
  const unsigned long long bits = bits_of(of.x);
  if (wanted.row)
    std::printf("%s %.3f %.0f %016llx\n", of.name.c_str(), of.us, of.bytes, bits);
  else
    std::printf(
        "%s: %d rows, %d nonzeros, %d iterations on %s\n"
        "  %.3f us per iteration, %.2f MB moved in each\n"
        "  residual %.2e of |b|, bits %016llx\n",
        of.name.c_str(), a.rows, a.row_ptr.back(), wanted.iterations, of.where.c_str(), of.us,
        of.bytes / 1e6, residual, bits);
  if (!right) std::fprintf(stderr, "%s: WRONG: the residual is %.3e\n", of.name.c_str(), residual);
  return right ? done : wrong;
}

}  // namespace ladder
