// SPDX-License-Identifier: MIT
// What only a GPU can show, beside the tests of the CPU that are linked into this executable too:
// agreement with the CPU, and a set of tiny solves for compute-sanitizer
// (--gtest_filter=*Sanitizer*).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

class gpu : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

// compute-sanitizer is 100 times slower than the GPU: a few rows, few steps, every code path of a
// kernel.
class Sanitizer : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void tiny_solves() {
    const linear_system<T> s = make_system<T>(battery_at(GetParam()));
    for (const auto p : {preconditioner::none, preconditioner::jacobi})
      for (const std::string& executor : place::executors()) {
        for (const cut& how : place::cuts()) {
          if (how.teams > 5) continue;
          for (const std::string& variant : variants_of("cg")) {
            SCOPED_TRACE(executor + ", " + variant + ", " + describe(how));
            solve_options o = with(executor, how, 0, p);
            o.variant = variant;
            o.max_iterations = 3;
            o.history = true;
            const auto got = run(s, o);
            check_report(s, got);
            EXPECT_LE(got.report.iterations, 3);
          }
        }
      }
  }
};
TEST_P(Sanitizer, f64) { tiny_solves<double>(); }
TEST_P(Sanitizer, f32) { tiny_solves<float>(); }
INSTANTIATE_TEST_SUITE_P(tiny, Sanitizer,
                         testing::Values("one_by_one", "two_by_two", "five_rows", "seventeen_dense",
                                         "tile_33", "dense_rows_adjacent", "stored_zeros"),
                         [](const auto& info) { return std::string(info.param); });

// Another partition, another order of sums: the same answer and count, not the same bits.
TEST_F(gpu, agrees_with_the_cpu) {
  for (const char* name : {"mesh_33x47", "power_law_1500", "dense_row_middle"}) {
    SCOPED_TRACE(name);
    const auto s = make_system<double>(battery_at(name));
    const expectation e = expect_of(s, preconditioner::none);
    solve_options o = plain_options();
    o.rtol = e.rtol;
    const auto here = run(s, o);
    check_solution(s, e, here);
    std::vector<double> x(here.x.size());
    const solve_report there =
        solve(device::cpu(), s.a.view(), std::span<const double>(s.b), std::span<double>(x), o);
    EXPECT_LE(std::abs(there.iterations - here.report.iterations), 1 + 0.02 * there.iterations);
    double difference = 0, size = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      difference += (x[i] - here.x[i]) * (x[i] - here.x[i]);
      size += x[i] * x[i];
    }
    EXPECT_LE(std::sqrt(difference / size), 2 * e.rtol * e.direct.condition());
  }
}

// More teams than can be cooperative together would wait for each other for ever: refused, with
// numbers.
TEST_F(gpu, more_teams_than_fit_are_refused) {
  const auto s = make_system<double>(battery_at("mesh_33x47"));
  solve_options o = plain_options();
  o.executor = "persistent";
  o.teams = 100000;
  try {
    (void)run(s, o);
    ADD_FAILURE() << "100000 resident blocks were accepted";
  } catch (const error& e) {
    EXPECT_NE(std::string(e.what()).find("100000"), std::string::npos) << e.what();
  }
}

TEST_F(gpu, facts_are_those_of_a_gpu) {
  const device_facts f = place::where().facts();
  EXPECT_EQ(f.on, backend::cuda);
  EXPECT_FALSE(f.name.empty());
  EXPECT_GT(f.units, 0);
  EXPECT_GE(f.compute_capability, 50);
  EXPECT_GT(f.memory, f.l2);
  EXPECT_GE(f.memory, f.memory_free);
  EXPECT_GT(f.l2, 0u);
  EXPECT_GE(f.shared_per_team, std::size_t{48} << 10);
  EXPECT_GE(f.shared_per_unit, f.shared_per_team);
  EXPECT_GT(f.registers_per_unit, 0u);
}

// Whoever is asked to solve: the arrays are read on the host first.
TEST_F(gpu, arrays_on_the_device_are_refused) {
  const auto s = make_system<double>(battery_at("mesh_33x47"));
  const std::size_t n = s.b.size();
  buffer<double> there(place::where(), n), values(place::where(), s.a.val.size());
  buffer<index> columns(place::where(), s.a.col.size()), ends(place::where(), n + 1);
  std::vector<double> x(n);
  const auto refused = [&](const csr_view<double>& a, const double* b, double* answer,
                           const char* name) {
    for (const device& where : {place::where(), device::cpu()}) {
      try {
        (void)solve(where, a, std::span<const double>(b, n), std::span<double>(answer, n));
        ADD_FAILURE() << name << ": a pointer to the device's memory was accepted";
      } catch (const input_error& e) {
        EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("copy it to the host"), std::string::npos) << e.what();
      }
    }
  };
  refused(s.a.view(), there.data(), x.data(), "(b)");
  refused(s.a.view(), s.b.data(), there.data(), "(x)");
  csr_view<double> a = s.a.view();
  a.val = values.data();
  refused(a, s.b.data(), x.data(), "(val)");
  a = s.a.view();
  a.col = columns.data();
  refused(a, s.b.data(), x.data(), "(col)");
  a = s.a.view();
  a.row_ptr = ends.data();
  refused(a, s.b.data(), x.data(), "(row_ptr)");
}

// Small systems wait for their phases, in launches as in one kernel.
TEST_F(gpu, auto_takes_the_form_with_two_phases) {
  const auto s = make_system<double>(battery_at("mesh_33x47"));
  for (const char* executor : {"host-loop", "graph", "persistent", "perks"}) {
    solve_options o = plain_options();
    o.executor = executor;
    EXPECT_EQ(run(s, o).report.variant, "single-reduction") << executor;
  }
}

// A refusal leaves the device usable.
TEST_F(gpu, solves_after_an_error) {
  auto s = make_system<double>(battery_at("mesh_33x47"));
  solve_options o = plain_options();
  o.executor = "no-such";
  EXPECT_THROW((void)run(s, o), input_error);
  EXPECT_EQ(run(s, {}).report.stopped, stop_reason::converged);
}

}  // namespace
}  // namespace dwell::test
