// SPDX-License-Identifier: MIT
// Runs one system under one combination of options and judges the answer: by Eigen's direct
// solution, by Eigen's iteration count, and by a residual that the test computes itself.
#pragma once
#include <cstring>
#include <string>
#include <type_traits>
#include <vector>

#include "battery.hpp"
#include "dwell/linear/solve.hpp"
#include "oracle.hpp"
#include "place.hpp"

namespace dwell::test {

template <class T>
struct linear_system {
  std::string name;
  csr<T> a;
  std::vector<T> b;
};

/// The matrix of a case in precision T, with a right-hand side that excites every eigenvector.
template <class T>
linear_system<T> make_system(const battery_case& c);

template <class T>
struct solution {
  solve_report report;
  std::vector<T> x;
};

/// Solves from `x0`, or from zeros.
template <class T>
solution<T> run(const linear_system<T>& s, const solve_options& options, std::vector<T> x0 = {});

/// The form of the iteration that all others are compared with, and those.
inline std::string textbook() { return dwell::variants_of("cg").front(); }
inline std::vector<std::string> other_variants() {
  std::vector<std::string> names = dwell::variants_of("cg");
  names.erase(names.begin());
  return names;
}

/// Options of a tight solve under one executor and cut.
solve_options with(const std::string& executor, const cut& c, double rtol, preconditioner p);
std::string describe(const cut& c);

/// What does not depend on how a system is solved, computed once per system and preconditioner.
struct expectation {
  oracle direct;
  double rtol = 0;
  int max_iterations = 0;
  bool must_converge = false;  ///< precision and condition leave no doubt
  int eigen_iterations = -1;   ///< -1 where rounding decides the count, or Eigen has no such thing
};
template <class T>
expectation expect_of(const linear_system<T>& s, preconditioner p);

/// Fails the running test unless the report is consistent in itself and with x, and x is as close
/// to the direct solution as its residual promises.
template <class T>
void check_solution(const linear_system<T>& s, const expectation& e, const solution<T>& got);

/// The part of it that holds for every solve, converged or not.
template <class T>
void check_report(const linear_system<T>& s, const solution<T>& got);

template <class T>
bool same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

}  // namespace dwell::test

/// First line of every test that solves.
#define DWELL_SKIP_IF_ABSENT() \
  if (!::dwell::test::place::absent().empty()) GTEST_SKIP() << ::dwell::test::place::absent()
