// SPDX-License-Identifier: MIT
// Systems for tests of all methods: matrices that are symmetric, indefinite or neither, with
// Eigen's direct solutions.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/triplets.hpp"
#include "plain_options.hpp"

namespace dwell::test {

/// Duplicates are summed.
inline csr<double> from_entries(index n, const std::vector<std::tuple<index, index, double>>& all) {
  triplets<double> t{n, n, {}, {}, {}};
  for (const auto& [i, j, v] : all) t.row.push_back(i), t.col.push_back(j), t.val.push_back(v);
  return to_csr(t);
}

/// [A B; B^T 0]: a Laplacian with constraints, whose diagonal has zeros or is not stored.
inline csr<double> saddle_point(bool stored_zeros) {
  const csr<double> a = generate("poisson2d:20x15");
  const index n = a.rows, constraints = 30;
  std::vector<std::tuple<index, index, double>> all;
  for (index i = 0; i < n; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      all.emplace_back(i, a.col[static_cast<std::size_t>(k)], a.val[static_cast<std::size_t>(k)]);
  for (index c = 0; c < constraints; ++c) {
    for (index e = 0; e < 5; ++e) {
      const index j = 10 * c + 2 * e;
      all.emplace_back(n + c, j, 1.0 + 0.1 * e);
      all.emplace_back(j, n + c, 1.0 + 0.1 * e);
    }
    if (stored_zeros) all.emplace_back(n + c, n + c, 0.0);
  }
  return from_entries(n + constraints, all);
}

/// Dominant diagonals of both signs, one long row and one long column.
inline csr<double> unsymmetric_rows(index n) {
  splitmix64 random(5);
  std::vector<std::tuple<index, index, double>> all;
  for (index i = 0; i < n; ++i) {
    const index count = i == n / 3 ? n / 2 : 1 + random.below(9);
    double sum = 0;
    for (index e = 0; e < count; ++e) {
      const index j = e == 0 ? n / 5 : random.below(n);
      if (j == i) continue;
      const double v = std::ldexp(static_cast<double>(random.below(1000)) - 400, -9);
      all.emplace_back(i, j, v);
      sum += std::abs(v);
    }
    all.emplace_back(i, i, (i % 7 == 0 ? -1 : 1) * (1.5 * sum + 0.5));
  }
  return from_entries(n, all);
}

struct problem {
  const char* name;
  std::function<csr<double>()> build;
  bool symmetric;
};
inline const std::vector<problem>& problems() {
  static const std::vector<problem> all = {
      {"convection", [] { return generate("convection2d:40x30:20"); }, false},
      {"strong_convection", [] { return generate("convection2d:50x20:1000"); }, false},
      {"unsymmetric_rows", [] { return unsymmetric_rows(sanitized ? 500 : 1500); }, false},
      {"one_by_one",
       [] {
         return csr<double>{1, 1, {0, 1}, {0}, {-2.0}};
       },
       true},
      {"helmholtz", [] { return generate("helmholtz2d:31x23:1.2"); }, true},
      {"saddle_point", [] { return saddle_point(true); }, true},
      {"saddle_point_without_diagonal", [] { return saddle_point(false); }, true},
      {"definite", [] { return generate("poisson2d:33x21"); }, true},
  };
  return all;
}

inline bool has_full_diagonal(const csr<double>& a) {
  for (index i = 0; i < a.rows; ++i) {
    bool found = false;
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      found |= a.col[static_cast<std::size_t>(k)] == i && a.val[static_cast<std::size_t>(k)] != 0;
    if (!found) return false;
  }
  return true;
}

template <class T>
struct judged_system {
  linear_system<T> system;
  std::vector<double> x;  ///< Eigen's
};

template <class T>
judged_system<T> judged(const csr<double>& a) {
  const csr<T> rounded = convert<T>(a.view());
  judged_system<T> out{{"", rounded, {}}, {}};
  const auto b = random_vector(a.rows, 7);
  out.system.b.assign(b.begin(), b.end());
  out.x = solve_by_lu(convert<double>(rounded.view()), widen(std::span<const T>(out.system.b)));
  EXPECT_FALSE(out.x.empty());
  return out;
}

class methods_here : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  static linear_system<double> system_of(const csr<double>& a) {
    return {"", a, random_vector(a.rows, 7)};
  }
  static solve_options by(const std::string& method) {
    solve_options o = plain_options();
    o.method = method;
    return o;
  }
};

}  // namespace dwell::test
