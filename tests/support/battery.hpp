// SPDX-License-Identifier: MIT
// The battery: small symmetric positive definite matrices, each aimed at a class of bug in a solver
// whose rows and nonzeros are cut between teams. Every builder is deterministic, and builds its CSR
// by itself, so that a bug of the library's own conversion cannot hide in it.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::test {

/// One matrix of the battery.
struct battery_case {
  std::string name;                    ///< also the name of the test: letters, digits, underscores
  std::string aim;                     ///< the bug that it is there to catch
  std::function<csr<double>()> build;  ///< gives equal bits at every call
};

/// All cases, in a fixed order; names are unique.
const std::vector<battery_case>& battery();
std::vector<std::string> names_of_battery();
/// The case of that name. Throws std::out_of_range if there is none.
const battery_case& battery_at(const std::string& name);

/// Builders that tests of stops and refusals use with sizes of their own.
csr<double> tridiagonal(index n, double diagonal, double beside);
csr<double> mesh(index width, index height, double diagonal = 4);
/// A small matrix written out row by row; zeros are not stored.
csr<double> dense(const std::vector<std::vector<double>>& rows);

/// Vigna's SplitMix64: the only source of randomness in these tests.
class splitmix64 {
 public:
  explicit splitmix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  /// In [0, n).
  index below(index n) { return static_cast<index>(next() % static_cast<std::uint64_t>(n)); }
  /// In [-1, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-52 - 1; }

 private:
  std::uint64_t state_;
};

/// A random order of n things; the natural one for seed 0.
std::vector<index> renumbering(index n, std::uint64_t seed);
/// A symmetric matrix with unknown i called to[i].
csr<double> renumber(const csr_view<double>& a, const std::vector<index>& to);

/// n values in [-1, 1).
std::vector<double> random_vector(index n, std::uint64_t seed);

}  // namespace dwell::test
