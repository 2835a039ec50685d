// SPDX-License-Identifier: MIT
// What a prepared solver does with data that are on the GPU already: matrices, vectors and values
// in its memory give the bits of those in the host's; a caller's stream orders the work; solves
// that are waited for later; several right-hand sides; wrong kinds of pointers are refused.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <Eigen/Sparse>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/eigen.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

class data_on_a_gpu : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  const linear_system<double> system = make_system<double>(battery_at("mesh_33x47"));
  const std::size_t n = system.b.size();

  template <class T>
  static device_span<T> span_of(const buffer<T>& v) {
    return {v.data(), v.size(), 0};
  }
  template <class T>
  static device_span<const T> const_span_of(const buffer<T>& v) {
    return span_of(v);
  }
  static std::vector<double> downloaded(const buffer<double>& v) {
    std::vector<double> to(v.size());
    v.download(to);
    return to;
  }
  solve_options options(preconditioner p = preconditioner::none) const {
    solve_options o = plain_options();
    o.rtol = 1e-10;
    o.preconditioner = p;
    return o;
  }
  /// The answer from and to the host's memory.
  std::vector<double> from_the_host(const solve_options& o) const {
    std::vector<double> x(n, 0.0);
    linear_solver<double> solver(place::where(), system.a.view(), o);
    EXPECT_EQ(solver.solve(std::span<const double>(system.b), std::span<double>(x)).stopped,
              stop_reason::converged);
    return x;
  }
};

TEST_F(data_on_a_gpu, gives_the_bits_of_data_on_the_host) {
  const work_queue own(place::where());
  for (const device& where : {place::where(), own.where()})
    for (const preconditioner p : preconditioners()) {
      if (!kind_of(p).symmetric) continue;
      SCOPED_TRACE(to_string(p) + (where.stream() ? ", in a stream" : ""));
      const solve_options o = options(p);
      const std::vector<double> want = from_the_host(o);
      const auto row_ptr = buffer<index>::copy_of(where, system.a.row_ptr);
      const auto col = buffer<index>::copy_of(where, system.a.col);
      const auto val = buffer<double>::copy_of(where, system.a.val);
      const auto b = buffer<double>::copy_of(where, system.b);
      const buffer<double> x(where, n);
      if (!where.stream()) memory_of(backend::cuda).finish(where);
      const device_csr_view<double> a{system.a.rows,
                                      system.a.cols,
                                      system.a.nonzeros(),
                                      row_ptr.data(),
                                      col.data(),
                                      val.data(),
                                      0};
      linear_solver<double> solver(where, a, o);
      const solve_report report = solver.solve(const_span_of(b), span_of(x));
      EXPECT_EQ(report.stopped, stop_reason::converged);
      EXPECT_LE(report.residual_relative_true, 1.1e-10);
      EXPECT_TRUE(same_bits(downloaded(x), want));
      // Values there: four times the matrix has a quarter of the answer, exactly, since
      // preconditioners may take roots.
      std::vector<double> more = system.a.val;
      for (double& v : more) v *= 4;
      const auto other = buffer<double>::copy_of(where, more);
      const buffer<double> quarter(where, n);
      if (!where.stream()) memory_of(backend::cuda).finish(where);
      solver.update_values(const_span_of(other));
      EXPECT_EQ(solver.solve(const_span_of(b), span_of(quarter)).stopped, stop_reason::converged);
      const std::vector<double> quarters = downloaded(quarter);
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(4 * quarters[i], want[i]) << i;
    }
}

TEST_F(data_on_a_gpu, is_ordered_by_the_stream_of_the_caller) {
  const work_queue own(place::where());
  const device& where = own.where();
  const std::vector<double> want = from_the_host(options());
  linear_solver<double> solver(where, system.a.view(), options());
  // b is copied in the stream right before, and x right after: nobody waits in between.
  const auto source = buffer<double>::copy_of(where, system.b);
  for (int again = 0; again < 20; ++again) {
    const buffer<double> b(where, n), x(where, n), copy(where, n);
    const memory_space& memory = memory_of(backend::cuda);
    memory.copy(where, b.data(), source.data(), n * sizeof(double));
    solver.solve_async(const_span_of(b), span_of(x));
    memory.copy(where, copy.data(), x.data(), n * sizeof(double));
    EXPECT_EQ(solver.wait().stopped, stop_reason::converged);
    ASSERT_TRUE(same_bits(downloaded(copy), want)) << again;
  }
}

TEST_F(data_on_a_gpu, may_be_several_right_hand_sides) {
  const device where = place::where();
  constexpr int count = 5;
  const std::size_t pitch = n + 3;
  for (const int together : {1, 4}) {
    solve_options o = options();
    o.columns_at_once = together;
    linear_solver<double> solver(where, system.a.view(), o);
    std::vector<double> b(pitch * count, 0.0), x(pitch * count, 0.0);
    for (int k = 0; k < count; ++k)
      for (std::size_t i = 0; i < n; ++i)
        b[static_cast<std::size_t>(k) * pitch + i] = (k + 1) * system.b[(i + 7 * k) % n];
    const auto there = buffer<double>::copy_of(where, b);
    const auto answer = buffer<double>::copy_of(where, x);
    memory_of(backend::cuda).finish(where);
    const auto reports = solver.solve(const_span_of(there), pitch, span_of(answer), pitch, count);
    ASSERT_EQ(reports.size(), static_cast<std::size_t>(count));
    (void)solver.solve(std::span<const double>(b), pitch, std::span<double>(x), pitch, count);
    for (const solve_report& r : reports) EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_EQ(reports.front().columns_together, together);
    EXPECT_TRUE(same_bits(downloaded(answer), x));
  }
}

TEST_F(data_on_a_gpu, in_mixed_precision) {
  const device where = place::where();
  for (const preconditioner p : {preconditioner::jacobi, preconditioner::amg}) {
    SCOPED_TRACE(to_string(p));
    solve_options o = options(p);
    o.mixed_precision = true;
    o.rtol = 1e-11;
    const std::vector<double> want = from_the_host(o);
    const auto row_ptr = buffer<index>::copy_of(where, system.a.row_ptr);
    const auto col = buffer<index>::copy_of(where, system.a.col);
    const auto val = buffer<double>::copy_of(where, system.a.val);
    const auto b = buffer<double>::copy_of(where, system.b);
    const buffer<double> x(where, n);
    memory_of(backend::cuda).finish(where);
    const device_csr_view<double> a{system.a.rows,
                                    system.a.cols,
                                    system.a.nonzeros(),
                                    row_ptr.data(),
                                    col.data(),
                                    val.data(),
                                    0};
    linear_solver<double> solver(where, a, o);
    const solve_report report = solver.solve(const_span_of(b), span_of(x));
    EXPECT_EQ(report.stopped, stop_reason::converged);
    EXPECT_EQ(report.precision, "mixed");
    EXPECT_LE(report.residual_relative_true, 1e-11);
    EXPECT_TRUE(same_bits(downloaded(x), want));
    std::vector<double> more = system.a.val;
    for (double& v : more) v *= 4;
    const auto other = buffer<double>::copy_of(where, more);
    const buffer<double> quarter(where, n);
    memory_of(backend::cuda).finish(where);
    solver.update_values(const_span_of(other));
    EXPECT_EQ(solver.solve(const_span_of(b), span_of(quarter)).stopped, stop_reason::converged);
    const std::vector<double> quarters = downloaded(quarter);
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(4 * quarters[i], want[i]) << i;
    EXPECT_NE(refusal<unsupported_error>([&] {
                solver.solve_async(const_span_of(b), span_of(x));
              }).find("mixed precision"),
              std::string::npos);
  }
}

TEST_F(data_on_a_gpu, must_be_what_it_is_said_to_be) {
  const device where = place::where();
  linear_solver<double> solver(where, system.a.view(), options());
  const auto b = buffer<double>::copy_of(where, system.b);
  const buffer<double> x(where, n);
  memory_of(backend::cuda).finish(where);
  std::vector<double> host(n, 1.0);
  const auto said = [&](device_span<const double> rhs, device_span<double> answer) {
    return refusal<input_error>([&] { (void)solver.solve(rhs, answer); });
  };
  EXPECT_NE(said({host.data(), n, 0}, span_of(x)), "accepted") << "b on the host";
  EXPECT_NE(said(const_span_of(b), {host.data(), n, 0}), "accepted") << "x on the host";
  EXPECT_NE(said(const_span_of(b), {x.data(), n, 7}), "accepted") << "x of another device";
  EXPECT_NE(said({b.data(), n - 1, 0}, span_of(x)), "accepted") << "too short";
  EXPECT_NE(said(const_span_of(x), span_of(x)), "accepted") << "x is b";
  EXPECT_NE(refusal<input_error>([&] {
              solver.update_values(device_span<const double>{host.data(), system.a.val.size(), 0});
            }),
            "accepted")
      << "values on the host";
  EXPECT_NE(refusal<input_error>([&] { (void)solver.wait(); }), "accepted")
      << "nothing to wait for";
  solver.solve_async(const_span_of(b), span_of(x));
  EXPECT_NE(said(const_span_of(b), span_of(x)), "accepted") << "a solve is in progress";
  EXPECT_EQ(solver.wait().stopped, stop_reason::converged);
  // After all of that it still solves.
  EXPECT_TRUE(same_bits(downloaded(x), from_the_host(options())));
}

// A map refers to memory and does not say whose.
TEST_F(data_on_a_gpu, as_a_map_of_eigen_is_refused) {
  Eigen::SparseMatrix<double, Eigen::RowMajor, index> a(50, 50);
  a.setIdentity();
  const buffer<double> there(place::where(), 50);
  const Eigen::Map<const Eigen::VectorXd> b(there.data(), 50);
  Eigen::Map<Eigen::VectorXd> x(there.data(), 50);
  Eigen::VectorXd on_host = Eigen::VectorXd::Zero(50);
  for (const device& where : {place::where(), device::cpu(1)}) {
    EXPECT_NE(refusal<input_error>([&] {
                (void)solve(where, a, b, on_host);
              }).find("copy it to the host"),
              std::string::npos);
    EXPECT_NE(refusal<input_error>([&] {
                (void)solve(where, a, on_host, x);
              }).find("copy it to the host"),
              std::string::npos);
  }
}

TEST_F(data_on_a_gpu, that_is_not_finite_leaves_the_answer_as_it_was) {
  const device where = place::where();
  linear_solver<double> solver(where, system.a.view(), options());
  std::vector<double> broken = system.b;
  broken[n / 2] = std::numeric_limits<double>::quiet_NaN();
  const auto b = buffer<double>::copy_of(where, broken);
  const auto x = buffer<double>::copy_of(where, std::vector<double>(n, 3.0));
  memory_of(backend::cuda).finish(where);
  EXPECT_NE(refusal<input_error>([&] { (void)solver.solve(const_span_of(b), span_of(x)); }),
            "accepted");
  EXPECT_EQ(downloaded(x), std::vector<double>(n, 3.0));
}

}  // namespace
}  // namespace dwell::test
