// SPDX-License-Identifier: MIT
// Structs of C++: the definition that they trace and the kernel that is compiled of them are one
// computation, bit by bit.
#include "dwell/stencil/define.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <type_traits>
#include <vector>

#include "field_oracle.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

struct wave {
  static constexpr const char* name = "wave";
  static constexpr int dims = 2;
  static constexpr const char* fields[] = {"u", "v"};
  static constexpr const char* coefficients[] = {"c2"};
  enum { u, v, c2 };
  template <class Cell>
  static void step(Cell& cell) {
    const auto here = cell(u, 0, 0);
    const auto around = cell(u, -1, 0) + cell(u, 1, 0) + cell(u, 0, -1) + cell(u, 0, 1);
    cell.set(u, 2 * here - cell(v, 0, 0) + cell(c2, 0, 0) * (around - 4 * here));
    cell.set(v, here);
  }
};

/// Every operation, two stages, cells that no result needs.
struct everything {
  static constexpr const char* name = "everything";
  static constexpr int dims = 3;
  static constexpr const char* fields[] = {"a", "b"};
  static constexpr const char* parameters[] = {"p", "q"};
  static constexpr int stages = 2;
  enum { a, b };
  template <int Stage, class Cell>
  static void stage(Cell& cell) {
    if constexpr (Stage == 0) {
      const auto x = cell(a, 0, 0, 1), y = cell(b, -1, 2, 0), p = cell.parameter(0);
      [[maybe_unused]] const auto not_needed = cell(b, 1, 1, 1) + 1;
      const auto some = where((x < y && !(x == p)) || y >= 2, exp(-abs(x)), log(1 + x * x));
      cell.set(a, min(max(fma(x, y, some), -3), 3) + pow(y, 3) / 64 - pow(x * x + 1, -2));
    } else {
      const auto x = cell(a, 1, 0, 0), y = cell(b, 0, 0, 0);
      cell.set(b, sqrt(abs(y)) + sin(x) * cos(y) - tanh(floor(x * cell.parameter(1))) +
                      where(x > y || (x <= 0.5 && x != y), 0.25, -y));
      cell.set(a, y);
    }
  }
};

struct line {
  static constexpr const char* name = "line";
  static constexpr int dims = 1;
  static constexpr const char* fields[] = {"u"};
  template <class Cell>
  static void step(Cell& cell) {
    cell.set(0, (cell(0, -4) + cell(0, 3)) * 0.5);
  }
};

template <class S, class T>
void check(const std::vector<std::int64_t>& size, const char* side) {
  std::mt19937_64 chance(3);
  std::uniform_real_distribution<double> values(-1, 1);
  std::size_t cells = 1;
  for (const auto n : size) cells *= static_cast<std::size_t>(n);
  std::vector<T> some(cells);
  for (T& v : some) v = static_cast<T>(values(chance));
  field_options options;
  options.boundaries = {field_boundary::all(parse_field_side(side))};
  auto built = runner_of<S, T>(device::cpu(2), size, options);
  options.kernel = "interpreted";
  field_runner<T> interpreted(device::cpu(1), define<S>(), size, options);
  for (auto* r : {&built, &interpreted}) {
    for (int f = 0; f < define<S>().fields(); ++f) r->set_field(f, some);
    for (int c = 0; c < define<S>().coefficients(); ++c) r->set_coefficient(c, some);
    for (int p = 0; p < define<S>().parameters(); ++p) r->set_parameter(p, 0.3 + p);
    r->run(7);
  }
  for (int f = 0; f < define<S>().fields(); ++f) {
    std::vector<T> a(cells), b(cells);
    built.field(f, a);
    interpreted.field(f, b);
    EXPECT_TRUE(same_values(a, b)) << S::name << " field " << f << ", " << side;
  }
  EXPECT_EQ(built.report().kernel, "built-in");
}

TEST(Define, KernelsOfStructsHaveTheBitsOfTheirDefinitions) {
  for (const char* side : {"fixed", "periodic", "mirror", "antisymmetric", "constant:0.5"}) {
    check<wave, double>({37, 61}, side);
    check<wave, float>({5, 9}, side);
    check<everything, double>({7, 9, 33}, side);
    check<everything, float>({5, 6, 7}, side);
    check<line, double>({101}, side);
    check<line, float>({6}, side);
  }
}

TEST(Define, DefinitionsAreTracedOnceAndShareWhatIsEqual) {
  EXPECT_EQ(&define<wave>(), &define<wave>());
  EXPECT_EQ(define<wave>().radius(), 1);
  EXPECT_EQ(
      define<wave>().describe(),
      "wave: 2 dimensions, radius 1, 9 operations per cell\nfields: u, v\ncoefficient: c2\nstep\n"
      "  u = ((2 * u[0,0]) - v[0,0]) + (c2[0,0] * ((((u[-1,0] + u[1,0]) + u[0,-1]) + u[0,1]) - "
      "(4 * u[0,0])))\n  v = u[0,0]\n");
  EXPECT_EQ(define<everything>().tape().stages.size(), 2u);
  EXPECT_EQ(define<line>().radius(), 4);
}

TEST(Define, HasOneKernel) {
  field_options options;
  options.kernel = "interpreted";
  EXPECT_THROW((runner_of<line, double>(device::cpu(1), {9}, options)), input_error);
}

}  // namespace
}  // namespace dwell::test
