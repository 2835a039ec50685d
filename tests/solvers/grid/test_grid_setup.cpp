// SPDX-License-Identifier: MIT
// Set-ups that threads share: the bits of one thread's. Columns of an inverse beside solves.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/prepared_grid.hpp"
#include "grid_problem.hpp"
#include "one_processor.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::grid_problem;
using testing::random_grid_problem;

/// All that a set-up makes, as bytes.
class made_bytes {
 public:
  template <class V>
  void add(const std::vector<V>& v) {
    const std::size_t at = all_.size();
    all_.resize(at + v.size() * sizeof(V));
    if (!v.empty()) std::memcpy(all_.data() + at, v.data(), v.size() * sizeof(V));
  }
  template <class V>
  void add(const grids::coefficients<V>& a) {
    add(a.pool), add(a.x), add(a.y), add(a.z), add(a.s);
  }
  bool operator==(const made_bytes&) const = default;

 private:
  std::vector<unsigned char> all_;
};

template <class T>
made_bytes made_of(const grid_description<T>& d) {
  const auto alone = self_communicator();
  grids::system<T> system = grids::discretize(d);
  const grids::divided_grid where = grids::undivided(*alone, system.a.shape);
  grids::exchange_cost cost;
  const grids::prepared_grid<T> grid(where, std::move(system), {}, grids::method_of(grid_options{}),
                                     cost);
  made_bytes all;
  all.add(grid.system.a);
  for (const auto& l : grid.levels.own->levels) {
    all.add(l.a);
    all.add(l.inverse), all.add(l.inverse_at);
    for (const auto* w : {&l.step.x, &l.step.y, &l.step.z})
      all.add(w->pool), all.add(w->before), all.add(w->after);
  }
  return all;
}

template <class T>
void expect_bits_of_one_thread(unsigned seed) {
  grid_problem<T> p;
  while (true) {  // some work for each of several threads, and not too much
    grid_problem<T> drawn;
    random_grid_problem(seed, 500, 20, drawn);
    const std::size_t cells = drawn.cells();
    if (cells > 140000 && cells < 400000 && !drawn.k.empty()) break;
    seed += 1000;
  }
  random_grid_problem(seed, 500, 20, p);
  SCOPED_TRACE(p.says);
  const made_bytes shared = made_of(p.d);
  const test::on_one_processor there;
  EXPECT_TRUE(made_of(p.d) == shared);
}

TEST(GridSetup, ThreadsMakeTheBitsOfOne) {
  if (default_threads() == 1) GTEST_SKIP() << "there is one processor";
  for (unsigned seed = 0; seed < unsigned(test::rounds(6)); ++seed) {
    expect_bits_of_one_thread<double>(seed);
    expect_bits_of_one_thread<float>(seed + 100);
  }
}

TEST(GridSetup, TheFirstBadValueIsNamedWhateverThreadFindsIt) {
  grid_description<double> d{.cells = {400, 500}};
  std::vector<double> k(200000, 1.0);
  k[60001] = k[130000] = k[199999] = -1;
  d.k_cells = k;
  try {
    grids::discretize(d);
    FAIL() << "expected input_error";
  } catch (const input_error& e) {
    EXPECT_NE(std::string(e.what()).find("found -1 at [120, 1] (counted from 0)"),
              std::string::npos)
        << e.what();
  }
}

TEST(GridSetup, BadValuesAreNamedByTheirPlaces) {
  std::mt19937 random(11);
  const auto below = [&](int n) { return int(random() % unsigned(n)); };
  for (int round = 0; round < 60; ++round) {
    grid_description<double> d;
    const auto dims = std::size_t(1 + below(3));
    for (std::size_t a = 0; a < dims; ++a) d.cells.push_back(1 + below(7));
    // k, s, or k of the faces along an axis.
    const int which = below(2 + int(dims));
    std::vector<int> sizes = d.cells;
    if (which >= 2) ++sizes[std::size_t(which - 2)];
    std::size_t all = 1, cell = 0;
    std::string place;
    for (const int n : sizes) {
      const int at = below(n);
      cell = cell * std::size_t(n) + std::size_t(at);
      place += (place.empty() ? "" : ", ") + std::to_string(at);
      all *= std::size_t(n);
    }
    std::vector<double> values(all, 1.0);
    values[cell] = std::numeric_limits<double>::quiet_NaN();
    (which == 0 ? d.k_cells : which == 1 ? d.s_cells : d.k_faces[std::size_t(which - 2)]) = values;
    try {
      grids::discretize(d);
      FAIL() << "expected input_error";
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find("found nan at [" + place + "] (counted from 0)"),
                std::string::npos)
          << e.what() << ", " << place;
    }
  }
}

TEST(GridSetup, ColumnsOfAnInverseAreSolves) {
  for (unsigned seed = 0; seed < unsigned(test::rounds(40)); ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 30, 20, p);
    SCOPED_TRACE(p.says);
    grids::system<double> system = grids::discretize(p.d);
    grids::profile_factor factor(system.a, system.singular);
    const std::size_t n = factor.size();
    ASSERT_EQ(n, p.cells());
    std::vector<double> inverse(n * n);
    factor.inverse(inverse.data());
    std::vector<double> unit(n, 0.0), answer(n);
    for (std::size_t c = 0; c < n; ++c) {
      unit[c] = 1;
      factor.solve(unit.data(), answer.data());
      unit[c] = 0;
      double most = 0;
      for (const double v : answer) most = std::max(most, std::abs(v));
      for (std::size_t i = 0; i < n; ++i) {
        ASSERT_NEAR(inverse[i * n + c], answer[i], 1e-12 * most) << i << " " << c;
        ASSERT_EQ(inverse[i * n + c], inverse[c * n + i]) << i << " " << c;
      }
    }
  }
}

}  // namespace
}  // namespace dwell
