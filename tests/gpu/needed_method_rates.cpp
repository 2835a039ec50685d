// SPDX-License-Identifier: MIT
// What kernels of methods that are compiled when they are needed cost (docs/results/build.md):
//
//   needed_method_rates first METHOD MATRIX EXECUTOR PRECONDITIONER   a first solve, and a second
//   one needed_method_rates rates MATRIX   microseconds of an iteration of cg under perks: by
//   nvcc's kernel of
//                                      this library, and by NVRTC's, in turns
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <span>
#include <string>
#include <vector>

#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/execution/krylov/launch/run.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/cg/single_reduction.hpp"

namespace {

using namespace dwell;

void first_solves(const char* method, const char* matrix, const char* executor, const char* with) {
  const csr<double> a = generate(matrix);
  solve_options o;
  o.method = method;
  o.executor = executor;
  o.preconditioner = parse_preconditioner(with);
  for (const char* when : {"first", "second"}) {
    std::vector<double> x(static_cast<std::size_t>(a.rows), 0.0);
    const std::vector<double> b(x.size(), 1.0);
    const solve_report r = solve(device::cuda(0), a.view(), std::span<const double>(b), x, o);
    fmt::print(
        "{} {} {} {} {}: compile {:.3f} s, load {:.3f} s, set-up {:.3f} s, {} iterations of {:.2f} "
        "us; {}\n",
        method, matrix, executor, with, when, r.setup.compile_s, r.setup.load_s, r.setup_s,
        r.iterations, r.per_iteration_us, r.reason);
  }
}

template <class T>
void rates_of(const csr<double>& a) {
  using P = single_reduction_cg;
  constexpr int iterations = 2000, runs = 9;
  const std::vector<T> values(a.val.begin(), a.val.end());
  const csr_view<T> view{a.rows, a.cols, a.row_ptr.data(), a.col.data(), values.data()};
  const work_queue queue(device::cuda(0));
  const placed_csr<T> matrix(queue.where(), view);
  const plan_target target = target_of(device::cuda(0));
  std::vector<T> answers[2];
  std::vector<double> us[2];
  std::vector<std::unique_ptr<program_run<P, T>>> of;
  std::vector<std::unique_ptr<cut_cache<T>>> cuts;
  for (const auto table : {program_kernels(), planned_program_kernels()}) {
    const program_kernel& row =
        find_kernel_among(table, P::name, "perks", precision_of<T>, backend::cuda);
    cuts.push_back(std::make_unique<cut_cache<T>>(queue.where(), matrix.arrays()));
    const planned<T> made = make_plan<P, T>(row, configs_of(row, target), target.facts,
                                            *cuts.back(), {}, P::steady_state(true));
    of.push_back(std::make_unique<program_run<P, T>>(queue.where(), row, made));
    if (of.size() == 1) fmt::print("{}\n", made.how.reason);
  }
  for (int run = 0; run < runs; ++run)
    for (int k = 0; k < 2; ++k) {
      program_run<P, T>& one = *of[static_cast<std::size_t>(k)];
      const auto n = static_cast<std::size_t>(a.rows);
      one.vector(P::x).upload(std::vector<T>(n, T(0)));
      one.vector(P::rhs).upload(std::vector<T>(n, T(1)));
      one.vector(P::d).upload(std::vector<T>(n, T(0.25)));
      typename P::scalars start;
      start.max_steps = iterations;
      start.fixed = start.jacobi = true;
      us[k].push_back(one.run(start, {}) * 1e6 / iterations);
      answers[k].resize(n);
      one.vector(P::x).download(answers[k]);
    }
  for (auto& all : us) std::sort(all.begin(), all.end());
  fmt::print("cg single-reduction, {}: nvcc {:.3f} us, {} {:.3f} us ({:+.2f} %), bits {}\n",
             sizeof(T) == 8 ? "f64" : "f32", us[0][runs / 2], of[1]->making().compiler,
             us[1][runs / 2], 100 * (us[1][runs / 2] / us[0][runs / 2] - 1),
             std::memcmp(answers[0].data(), answers[1].data(), sizeof(T) * answers[0].size()) == 0
                 ? "equal"
                 : "DIFFER");
}

}  // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  try {
    if (what == "first" && argc == 6) {
      first_solves(argv[2], argv[3], argv[4], argv[5]);
      return 0;
    }
    if (what == "rates" && argc == 3) {
      const csr<double> a = generate(argv[2]);
      rates_of<double>(a);
      rates_of<float>(a);
      return 0;
    }
  } catch (const std::exception& e) {
    fmt::print(stderr, "needed_method_rates: {}\n", e.what());
    return 1;
  }
  fmt::print(stderr,
             "needed_method_rates first METHOD MATRIX EXECUTOR PRECONDITIONER | rates MATRIX\n");
  return 2;
}
