// SPDX-License-Identifier: MIT
// Solves systems that files describe, by every call of C++ and of C that solves one alone, and
// prints a line of JSON for each call: its status, its message, x to the bit, the report.
// random_solves.py writes the files and compares the lines.
#include <fmt/format.h>

#include <bit>
#include <cstdint>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "described_case.hpp"
#include "dwell/base/error.hpp"
#include "dwell/dwell.h"
#include "dwell/linear/linear_solver.hpp"

namespace dwell::test {
namespace {

using nlohmann::json;

template <class T>
std::string bits_of(const std::vector<T>& x) {
  std::string out;
  for (const T one : x)
    out += fmt::format("{:016x}", std::bit_cast<std::uint64_t>(static_cast<double>(one)));
  return out;
}

json report_of(const solve_report& r) {
  return {{"method", r.method},
          {"method_reason", r.method_reason},
          {"executor", r.executor},
          {"variant", r.variant},
          {"policy", r.policy},
          {"policy_chosen", r.policy_chosen},
          {"reason", r.reason},
          {"precision", r.precision},
          {"preconditioner", to_string(r.preconditioner)},
          {"preconditioner_reason", r.preconditioner_reason},
          {"preconditioner_note", r.preconditioner_note},
          {"near_null_misfit", r.near_null_misfit},
          {"teams", r.teams},
          {"lanes", r.lanes},
          {"bytes_per_iteration", r.bytes_per_iteration},
          {"iterations", r.iterations},
          {"stopped", to_string(r.stopped)},
          {"rhs_norm", r.rhs_norm},
          {"null_space", r.null_space},
          {"rhs_outside_range", r.rhs_outside_range},
          {"rhs_inconsistent", r.rhs_inconsistent},
          {"residual_relative_recursive", r.residual_relative_recursive},
          {"residual_relative_true", r.residual_relative_true},
          {"residuals_disagree", r.residuals_disagree},
          {"componentwise_backward_error", r.componentwise_backward_error},
          {"rows_missed", r.rows_missed},
          {"target_missed", r.target_missed},
          {"refinements", r.refinements},
          {"condition_estimate", r.condition_estimate},
          {"error_estimate", r.error_estimate},
          {"no_digit_safe", r.no_digit_safe},
          {"stagnated", r.stagnated},
          {"advice", r.advice},
          {"history", r.history}};
}

int status_of(const solve_report& r) {
  switch (r.stopped) {
    case stop_reason::converged:
      return r.target_missed ? 2 : 0;
    case stop_reason::breakdown:
    case stop_reason::not_finite:
      return 3;
    case stop_reason::interrupted:
      return 130;
    default:
      return 2;
  }
}

json report_of(const dwell_report* r) {
  json out;
  for (int k = 0; const char* name = dwell_report_name(r, k); ++k) {
    long long whole = 0;
    double number = 0;
    const char* text = nullptr;
    if (dwell_report_text(r, name, &text) == DWELL_SUCCESS)
      out[name] = text;
    else if (dwell_report_int(r, name, &whole) == DWELL_SUCCESS)
      out[name] = whole;
    else if (dwell_report_double(r, name, &number) == DWELL_SUCCESS)
      out[name] = number;
  }
  const double* norms = nullptr;
  std::size_t count = 0;
  if (dwell_report_history(r, &norms, &count) == DWELL_SUCCESS)
    out["history"] = std::vector<double>(norms, norms + count);
  return out;
}

class caller {
 public:
  explicit caller(const std::string& file) : file_(file) {}

  template <class T>
  void all_calls(const described& from) {
    a_ = &from;
    const csr<T> a{from.a.rows,
                   from.a.cols,
                   from.a.row_ptr,
                   from.a.col,
                   {from.a.val.begin(), from.a.val.end()}};
    const std::vector<T> b(from.b.begin(), from.b.end()), x0(from.x.begin(), from.x.end());
    by_cpp(a, b, x0);
    by_c(a, b, x0);
  }

 private:
  template <class T>
  void print(const char* call, int status, const std::string& message, const std::vector<T>& x,
             json report) const {
    std::cout << json{{"case", file_},      {"call", call},    {"status", status},
                      {"message", message}, {"x", bits_of(x)}, {"report", std::move(report)}}
                     .dump()
              << '\n';
  }

  /// f(x), which returns a report, as a line.
  template <class T, class F>
  void call_cpp(const char* call, std::vector<T> x, F&& f) const {
    try {
      const solve_report r = f(std::span<T>(x));
      print(call, status_of(r), "", x, report_of(r));
    } catch (const input_error& e) {
      print(call, DWELL_INPUT_ERROR, e.what(), x, nullptr);
    } catch (const device_error& e) {
      print(call, DWELL_DEVICE_ERROR, e.what(), x, nullptr);
    } catch (const std::exception& e) {
      print(call, DWELL_INTERNAL_ERROR, e.what(), x, nullptr);
    }
  }

  template <class T>
  void by_cpp(const csr<T>& a, const std::vector<T>& b, const std::vector<T>& x0) const {
    const device where = device::cpu(a_->threads);
    call_cpp("C++ solve()", x0,
             [&](std::span<T> x) { return solve(where, a.view(), b, x, options_of(*a_)); });
    call_cpp("C++ linear_solver, second solve", x0, [&](std::span<T> x) {
      linear_solver<T> solver(where, a.view(), options_of(*a_));
      std::vector<T> first(x0);
      solver.solve(std::span<const T>(b), std::span<T>(first));
      return solver.solve(std::span<const T>(b), x);
    });
  }

  static dwell_options* c_options(const described& from, int& status) {
    dwell_options* o = nullptr;
    status = dwell_cg_options_create(&o);
    const auto keep_first = [&](int of) { status = status ? status : of; };
    for (const auto& [name, v] : from.text)
      keep_first(dwell_options_set_text(o, name.c_str(), v.c_str()));
    for (const auto& [name, v] : from.whole) keep_first(dwell_options_set_int(o, name.c_str(), v));
    for (const auto& [name, v] : from.number)
      keep_first(dwell_options_set_double(o, name.c_str(), v));
    for (const auto& [name, v] : from.list)
      keep_first(dwell_options_set_doubles(o, name.c_str(), v.data(), v.size()));
    return o;
  }

  template <class T>
  void by_c(const csr<T>& a, const std::vector<T>& b, const std::vector<T>& x0) const {
    for (const bool columns : {false, true}) {
      std::vector<T> x(x0);
      int status = 0;
      dwell_options* const o = c_options(*a_, status);
      dwell_cg* solver = nullptr;
      dwell_report* report = nullptr;
      const dwell_device where{DWELL_HOST, a_->threads, nullptr};
      const dwell_csr matrix{std::is_same_v<T, double> ? DWELL_F64 : DWELL_F32,
                             DWELL_HOST,
                             a.rows,
                             a.cols,
                             0,
                             a.row_ptr.data(),
                             a.col.data(),
                             a.val.data()};
      if (!status) status = dwell_cg_create(&solver, &where, &matrix, o);
      if (!status)
        status = columns ? dwell_cg_solve_columns(solver, 1, b.data(), b.size(), x.data(), x.size(),
                                                  &report)
                         : dwell_cg_solve(solver, b.data(), x.data(), &report);
      print(columns ? "C, one column" : "C", status, report ? "" : dwell_last_error(), x,
            report ? report_of(report) : json(nullptr));
      dwell_report_destroy(report);
      dwell_cg_destroy(solver);
      dwell_options_destroy(o);
    }
  }

  std::string file_;
  const described* a_ = nullptr;
};

}  // namespace
}  // namespace dwell::test

int main(int argc, char** argv) {
  for (int k = 1; k < argc; ++k) {
    const auto from = dwell::test::read_case(argv[k]);
    dwell::test::caller by(argv[k]);
    if (from.precision == "f32")
      by.all_calls<float>(from);
    else
      by.all_calls<double>(from);
  }
}
