// SPDX-License-Identifier: MIT
// Eight runners on eight threads at once, which share nothing that is written.
#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

#include "each_stencil_way.hpp"
#include "stencil_oracle.hpp"

#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::test {
namespace {

class stencil_runners_at_once : public each_stencil_way {};

TEST_F(stencil_runners_at_once, of_eight_threads) {
  constexpr int threads = 8;
  const extents n(21, 66);
  const auto ways = stencil_place::ways(stencil_options().shape);
  std::vector<std::string> found(threads);
  {
    std::vector<std::jthread> all;
    for (int t = 0; t < threads; ++t)
      all.emplace_back([&, t] {
        const auto start = random_field<double>(n, static_cast<unsigned>(t));
        for (std::size_t w = 0; w < ways.size(); ++w) {
          const auto& way = ways[(w + static_cast<std::size_t>(t)) % ways.size()];
          stencil_options o;
          way.apply(o);
          stencil_runner<double> runner(stencil_place::where(), n, o);
          runner.set_field(start);
          for (const int steps : {1, 3, 2}) runner.run(steps);
          runner.run(4, 3, [](const auto& now) { return now.step() > 0; });
          const auto difference_here =
              difference(runner.field(), stencil_by_loops("2d5pt", start, 10, o.edge));
          if (!difference_here.empty())
            found[static_cast<std::size_t>(t)] += testing::PrintToString(way) + difference_here;
        }
      });
  }
  for (const auto& text : found) EXPECT_EQ(text, "");
}

TEST_F(stencil_runners_at_once, that_are_made_on_one_thread_and_run_on_another) {
  each_way([&](stencil_options o) {
    const auto start = random_field<double>({21, 66}, 1);
    stencil_runner<double> runner(stencil_place::where(), start.size(), o);
    runner.set_field(start);
    runner.run(1);
    std::jthread([&] { runner.run(2); }).join();
    runner.run(1);
    EXPECT_EQ(difference(runner.field(), stencil_by_loops("2d5pt", start, 4, o.edge)), "");
  });
}

}  // namespace
}  // namespace dwell::test
