// SPDX-License-Identifier: MIT
// Solving while the program ends: in the destructor of a static object that was made before
// anything of the library was used, and so is destroyed after it; there runners end, too.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "dwell/linear/solve.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell {
namespace {

bool solve_both() {
  const std::vector<index> row_ptr = {0, 2, 4}, col = {0, 1, 0, 1};
  const std::vector<double> val = {2, -1, -1, 2}, b = {1, 1};
  std::vector<double> x(2);
  const auto report =
      solve(device::cpu(1), csr_view<double>{2, 2, row_ptr.data(), col.data(), val.data()},
            std::span<const double>(b), std::span<double>(x));
  grid<double> u(extents(16, 16));
  stencil_options o;
  o.steps = 3;
  o.executor = "host-loop";
  const auto steps = solve(device::cpu(1), u, o);
  return report.stopped == stop_reason::converged && steps.steps == 3 && !stencil_shapes().empty();
}

struct last_words {
  bool speaks = false;
  std::optional<stencil_runner<double>> held, idle;  ///< made in main(), destroyed with this
  bool goes_on() {
    const auto end = held->run(2);
    return end.steps == 2 && held->field()(8, 8) > 0;
  }
  ~last_words() {
    if (speaks)
      std::fputs(solve_both() && goes_on() ? "solved at the end\n" : "NOT solved\n", stderr);
  }
};
last_words at_the_end;  // made before main(), when no table of the library is there

TEST(last_solve, in_a_static_destructor) {
  ::testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        mallopt(M_PERTURB, 0xa5);  // what is freed is overwritten
        at_the_end.speaks = true;
        if (!solve_both()) std::_Exit(1);
        for (auto* runner : {&at_the_end.held, &at_the_end.idle}) {
          runner->emplace(device::cpu(2), extents(16, 16));
          (*runner)->set_field(grid<double>(extents(16, 16), 1.0));
        }
        if (!at_the_end.goes_on()) std::_Exit(1);
        std::exit(0);
      },
      testing::ExitedWithCode(0), "solved at the end");
}

}  // namespace
}  // namespace dwell
