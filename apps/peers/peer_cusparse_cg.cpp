// SPDX-License-Identifier: MIT
// peer-cusparse-cg: microseconds per iteration of conjugate gradients, or of Bi-CGSTAB, by cuSPARSE
// and cuBLAS, in a stream and in a CUDA graph, on files or generated matrices. x0 = 0, f64.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>

#include "cusparse_cg.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/matrix_file.hpp"

namespace dwell::peers {
namespace {

struct request {
  std::vector<std::string> matrices;
  std::vector<cusparse_cg::mode> modes;
  int iterations = 1000;
  int repetitions = 5;
  double rtol = 0;  ///< 0: a fixed number of iterations
  int check_every = 20;
  cusparse_cg::options peer;
  bool row_sums = false;  ///< b = A times ones; else ones
  std::string json;
};

std::vector<double> rhs_of(const csr<double>& a, const request& r) {
  std::vector<double> b(static_cast<std::size_t>(a.rows), r.row_sums ? 0.0 : 1.0);
  for (index i = 0; r.row_sums && i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) b[i] += a.val[k];
  return b;
}

double true_residual(const csr_view<double>& a, std::span<const double> b,
                     std::span<const double> x) {
  double rr = 0, bb = 0;
  for (index i = 0; i < a.rows; ++i) {
    double r = b[i];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) r -= a.val[k] * x[a.col[k]];
    rr += r * r;
    bb += b[i] * b[i];
  }
  return std::sqrt(rr / bb);
}

struct measured {
  std::vector<double> us;  ///< per iteration, sorted
  int iterations = 0;
  bool converged = true;
  double median() const {
    const std::size_t h = us.size() / 2;
    return us.size() % 2 ? us[h] : 0.5 * (us[h - 1] + us[h]);
  }
};

/// One repetition that is not counted brings clocks and caches to where they stay.
measured measure(cusparse_cg& cg, cusparse_cg::mode how, const request& r) {
  measured m;
  for (int k = -1; k < r.repetitions; ++k) {
    double seconds = 0;
    m.iterations = r.iterations;
    if (r.rtol > 0) {
      const auto o = cg.solve(how, r.rtol, r.iterations, r.check_every);
      m.iterations = o.iterations;
      m.converged = o.converged;
      seconds = o.seconds;
    } else {
      seconds = cg.run(how, r.iterations);
    }
    if (k >= 0) m.us.push_back(1e6 * seconds / std::max(m.iterations, 1));
  }
  std::sort(m.us.begin(), m.us.end());
  return m;
}

/// Prints the rows of one matrix and adds them to `all`; did every mode converge (if that was
/// asked)?
bool measure_matrix(const std::string& name, const request& r, bool table, nlohmann::json& all) {
  const csr<double> a = is_generated(name) ? generate(name) : read_matrix(name).content.matrix;
  check(a.view(), name);
  const std::vector<double> b = rhs_of(a, r);
  cusparse_cg cg(a.view(), b, r.peer);
  bool converged = true;
  for (const auto how : r.modes) {
    const measured m = measure(cg, how, r);
    const double truly = true_residual(a.view(), b, cg.x());
    converged = converged && m.converged;
    if (table)
      fmt::print("{:<24} {:>9} {:>10} {:<7} {:<12} {:>6} {:>9.2f} {:>9.2f} {:>9.2f} {:>10.2e}{}\n",
                 name, a.rows, a.nonzeros(), to_string(how), cg.spmv_algorithm(), m.iterations,
                 m.median(), m.us.front(), m.us.back(), truly,
                 m.converged ? "" : "  not converged");
    all.push_back(
        {{"matrix", {{"name", name}, {"rows", a.rows}, {"nonzeros", a.nonzeros()}}},
         {"device", cg.device_name()},
         {"peer", "cusparse+cublas"},
         {"mode", to_string(how)},
         {"spmv_algorithm", cg.spmv_algorithm()},
         {"graph_iterations", how == cusparse_cg::mode::graph ? r.peer.graph_iterations : 0},
         {"iterations", m.iterations},
         {"repetitions", r.repetitions},
         {"converged", r.rtol > 0 ? nlohmann::json(m.converged) : nlohmann::json()},
         {"per_iteration_us",
          {{"median", m.median()}, {"min", m.us.front()}, {"max", m.us.back()}}},
         {"runs_us", m.us},
         {"residual",
          {{"relative_recursive", cg.recursive_residual()}, {"relative_true", truly}}}});
  }
  return converged;
}

int compare(const request& r) {
  const cuda_presence found = find_cuda();
  if (found.devices == 0) throw device_error("no GPU: " + found.reason);
  const bool table = r.json != "-";
  if (table)
    fmt::print("{:<24} {:>9} {:>10} {:<7} {:<12} {:>6} {:>9} {:>9} {:>9} {:>10}\n", "matrix",
               "rows", "nonzeros", "mode", "SpMV", "iter", "median us", "min", "max", "true res.");
  bool converged = true;
  nlohmann::json all = nlohmann::json::array();
  for (const std::string& name : r.matrices)
    converged = measure_matrix(name, r, table, all) && converged;
  if (r.json == "-") {
    fmt::print("{}\n", all.dump(2));
  } else if (!r.json.empty()) {
    atomic_file out(r.json);
    out.write(all.dump(2) + "\n");
    out.commit();
  }
  return converged ? 0 : 2;
}

int parse_and_run(int argc, char** argv) {
  request r;
  std::string mode = "both", spmv = "best", update = "scal", rhs = "ones", solver = "cg";
  CLI::App app(
      "Conjugate gradients, or Bi-CGSTAB, by cuSPARSE and cuBLAS: microseconds per iteration");
  app.name("peer-cusparse-cg");
  app.add_option("MATRIX", r.matrices, "Matrix Market files, or kinds of 'dwell generate'")
      ->required();
  app.add_option("--iterations", r.iterations, "Iterations of a run (with --rtol: at most)")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--repetitions", r.repetitions, "Runs, after one that is not counted")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--method", solver, "cg, bicgstab")
      ->check(CLI::IsMember({"cg", "bicgstab"}))
      ->capture_default_str();
  app.add_option("--mode", mode, "stream, graph, both")
      ->check(CLI::IsMember({"stream", "graph", "both"}))
      ->capture_default_str();
  app.add_option("--rhs", rhs, "Right-hand side: ones, row-sums (A times ones)")
      ->check(CLI::IsMember({"ones", "row-sums"}))
      ->capture_default_str();
  app.add_option("--rtol", r.rtol, "Stop at this relative residual; 0: run them all")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--check-every", r.check_every,
                 "With --rtol: iterations between two looks of the host")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--graph-iterations", r.peer.graph_iterations, "Iterations recorded in one graph")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--spmv", spmv, "best (timed), default, alg1, alg2")
      ->check(CLI::IsMember({"best", "default", "alg1", "alg2"}))
      ->capture_default_str();
  app.add_option("--direction", update, "p = r + beta p by: scal (and axpy), geam")
      ->check(CLI::IsMember({"scal", "geam"}))
      ->capture_default_str();
  app.add_option("--device", r.peer.device, "CUDA device number")->check(CLI::NonNegativeNumber);
  app.add_option("--json", r.json,
                 "Write the results to a file, - for standard output (and nothing else there)");
  app.footer(
      "Example:\n  peer-cusparse-cg like:ecology2 poisson3d:64x64x64 --mode graph\n"
      "Exit codes: 0 done, 1 bad input or usage, 2 not converged, 4 no GPU or device error");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 1;
  }
  using peer = cusparse_cg;
  if (mode != "graph") r.modes.push_back(peer::mode::stream);
  if (mode != "stream") r.modes.push_back(peer::mode::graph);
  r.peer.spmv = spmv == "best"      ? peer::algorithm::best
                : spmv == "default" ? peer::algorithm::plain
                : spmv == "alg1"    ? peer::algorithm::alg1
                                    : peer::algorithm::alg2;
  r.peer.solver = solver == "bicgstab" ? peer::method::bicgstab : peer::method::cg;
  r.row_sums = rhs == "row-sums";
  r.peer.update = update == "geam" ? peer::direction::geam : peer::direction::scal_axpy;
  return compare(r);
}

}  // namespace
}  // namespace dwell::peers

int main(int argc, char** argv) {
  const auto fail = [](int code, const std::string& message) {
    std::fprintf(stderr, "peer-cusparse-cg: %s\n", message.c_str());  // never throws
    return code;
  };
  try {
    return dwell::peers::parse_and_run(argc, argv);
  } catch (const dwell::device_error& e) {
    return fail(4, e.what());
  } catch (const std::bad_alloc&) {
    return fail(4, "out of memory");
  } catch (const std::exception& e) {
    return fail(1, e.what());
  }
}
