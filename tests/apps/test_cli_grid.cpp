// SPDX-License-Identifier: MIT
// dwell grid: random problems of every kind in files and words against dense
// solves, what reports say, refusals before the solve.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "cli_runner.hpp"

#include "dwell/formats/matrix_file.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/grid/grid_operator.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

using words = std::vector<std::string>;

/// A random problem as arguments and files, and as the library has it.
template <class T>
class grid_case {
 public:
  grid_case(unsigned seed, const scratch_folder& in) : random_(seed), in_(in) {
    const int dims = 1 + below(3);
    for (int a = 0; a < dims; ++a) d.cells.push_back(1 + below(dims == 3 ? 10 : 40));
    std::string size;
    for (const int n : d.cells) size += (size.empty() ? "" : "x") + std::to_string(n);
    args = {"grid", size, "--precision", sizeof(T) == 8 ? "f64" : "f32"};
    d.centring = below(2) ? grid_centring::cell : grid_centring::vertex;
    add("--centring", d.centring == grid_centring::cell ? "cell" : "vertex");
    d.mean = below(2) ? face_mean::harmonic : face_mean::arithmetic;
    add("--mean", d.mean == face_mean::harmonic ? "harmonic" : "arithmetic");
    std::string spacing, k_axes;
    for (int a = 0; a < dims; ++a) {
      d.spacing.push_back(eighths(4, 16));
      d.k_axes[std::size_t(a)] = eighths(4, 16);
      spacing += (a ? "," : "") + std::to_string(d.spacing.back());
      k_axes += (a ? "," : "") + std::to_string(d.k_axes[std::size_t(a)]);
    }
    add("--spacing", spacing);
    add("--k-axes", k_axes);
    make_sides();
    if (below(2)) {
      k_ = field("k.npy", d.cells, 0.1, 10);
      d.k_cells = k_;
      add("--k", in_("k.npy"));
    } else {
      add("--k", std::to_string(d.k = eighths(4, 16)));
    }
    for (int a = 0; a < dims; ++a) {
      if (below(4) || d.boundary.sides[std::size_t(a)][0].kind == boundary_kind::periodic) continue;
      std::vector<int> shape = d.cells;
      ++shape[std::size_t(a)];
      const std::string letter(1, "xyz"[dims - 1 - a]);
      faces_[a] = field("k" + letter + ".npy", shape, 0.1, 10);
      d.k_faces[std::size_t(a)] = faces_[a];
      add("--k-faces", letter + "=" + in_("k" + letter + ".npy"));
    }
    if (below(2)) {
      s_ = field("s.npy", d.cells, 0, 2);
      d.s_cells = s_;
      add("--s", in_("s.npy"));
    } else {
      add("--s", std::to_string(d.s = below(2) ? eighths(0, 8) : 0));
    }
    if (below(2)) {
      f = field("f.npy", d.cells, -1, 1);
      add("--rhs", in_("f.npy"));
    } else {
      const double v = eighths(-8, 8);
      f.assign(count(d.cells), T(v));
      add("--rhs", std::to_string(v));
    }
  }

  grid_description<T> d;
  std::vector<T> f;
  words args;
  std::string says() const {
    std::string all;
    for (const auto& a : args) all += a + " ";
    return all;
  }

 private:
  int below(int n) { return int(random_() % unsigned(n)); }
  double eighths(int low, int high) { return (low + below(high - low + 1)) / 8.0; }
  void add(const std::string& option, const std::string& value) {
    args.insert(args.end(), {option + "=" + value});
  }
  static std::size_t count(const std::vector<int>& shape) {
    std::size_t all = 1;
    for (const int n : shape) all *= std::size_t(n);
    return all;
  }
  template <class V>
  void write(const std::string& name, const std::vector<int>& shape, const std::vector<V>& v) {
    if (shape.size() < 2) {
      write_vector(in_(name), std::vector<double>(v.begin(), v.end()));
      return;
    }
    grid<V> g(shape.size() == 2 ? extents(shape[0], shape[1])
                                : extents(shape[0], shape[1], shape[2]));
    std::ranges::copy(v, g.cells().begin());
    write_npy<V>(in_(name), g.view());
  }
  std::vector<T> field(const std::string& name, const std::vector<int>& shape, double low,
                       double high) {
    std::vector<T> v(count(shape));
    for (T& e : v) e = T(low + (high - low) * double(random_()) / double(std::mt19937::max()));
    write(name, shape, v);
    return v;
  }
  void make_sides() {
    std::string boundary;
    const int dims = int(d.cells.size());
    for (int a = 0; a < dims; ++a) {
      auto& sides = d.boundary.sides[std::size_t(a)];
      const std::string letter(1, "xyz"[dims - 1 - a]);
      if (below(4) == 0) {
        sides[0].kind = sides[1].kind = boundary_kind::periodic;
        boundary += (boundary.empty() ? "" : ", ") + letter + ": periodic";
        continue;
      }
      for (grid_side& side : sides) {
        side.kind = boundary_kind(below(3));
        side.value = eighths(-8, 8);
        if (side.kind == boundary_kind::robin) side.alpha = eighths(0, 16);
      }
      if (d.centring == grid_centring::vertex && d.cells[std::size_t(a)] == 1)
        sides[0] = {boundary_kind::dirichlet, 1};
      for (const bool high : {false, true}) {
        const std::string name = letter + (high ? "+" : "-");
        boundary += (boundary.empty() ? "" : ", ") + name + ": " + to_string(sides[high]);
        if (below(3)) continue;
        std::vector<int> others = d.cells;
        others.erase(others.begin() + a);
        std::vector<double>& values = sides[high].values;
        values.resize(count(others));
        for (double& v : values) v = eighths(-8, 8);
        write(name + ".npy", others, values);
        add("--boundary-values", name + "=" + in_(name + ".npy"));
      }
    }
    add("--boundary", boundary);
  }

  std::mt19937 random_;
  const scratch_folder& in_;
  std::vector<T> k_, s_, faces_[3];
};

template <class T>
std::vector<double> answer_of(const std::string& file, std::size_t dims) {
  if (dims == 1) return read_vector(file);
  const grid<T> u = read_npy<T>(file);
  return {u.cells().begin(), u.cells().end()};
}

Eigen::VectorXd eigen_of(const std::vector<double>& v) {
  return Eigen::Map<const Eigen::VectorXd>(v.data(), Eigen::Index(v.size()));
}

template <class T>
void expect_solved(unsigned seed) {
  const scratch_folder in;
  grid_case<T> p(seed, in);
  SCOPED_TRACE("seed " + std::to_string(seed) + ": " + p.says());
  const double rtol = sizeof(T) == 8 ? 1e-10 : 1e-4;
  words args = p.args;
  args.insert(args.end(), {"--output",     in("u.npy"),
                           "--matrix",     in(seed % 2 ? "a.mtx" : "a.dwell"),
                           "--matrix-rhs", in("b.npy"),
                           "--history",    in("history.csv"),
                           "--rtol",       sizeof(T) == 8 ? "1e-10" : "1e-4",
                           "--method",     seed % 5 ? "cg" : "multigrid",
                           "--threads",    std::to_string(1 + seed % 3),
                           "--coarse",     seed % 4 ? "auto" : "galerkin",
                           "--cycle",      seed % 7 ? "auto" : "w",
                           "--json",       "-"});
  if (seed % 3 == 0) args.emplace_back("--full-multigrid");
  const auto r = dwell_cli(args);
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("document"), "grid");
  EXPECT_EQ(j.at("stop_reason"), "converged");
  EXPECT_LE(j.at("residual").at("relative_true"), rtol);

  // The files are those of the library's operator.
  const grid_operator<T> a(device::cpu(1), p.d);
  std::vector<T> b(a.rows());
  a.rhs(p.f, b);
  const auto want_b = eigen_of({b.begin(), b.end()});
  EXPECT_EQ(read_vector(in("b.npy")), std::vector<double>(b.begin(), b.end()));
  const csr<T> own = a.to_matrix();
  const auto read = read_matrix(in(seed % 2 ? "a.mtx" : "a.dwell"));
  const csr<double>& matrix = read.content.matrix;
  ASSERT_EQ(matrix.row_ptr, own.row_ptr);
  EXPECT_EQ(matrix.col, own.col);
  EXPECT_EQ(matrix.val, std::vector<double>(own.val.begin(), own.val.end()));

  // The answer is that of a dense solve.
  const auto n = Eigen::Index(a.rows());
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(n, n);
  for (index i = 0; i < matrix.rows; ++i)
    for (index e = matrix.row_ptr[std::size_t(i)]; e < matrix.row_ptr[std::size_t(i) + 1]; ++e)
      dense(i, matrix.col[std::size_t(e)]) = matrix.val[std::size_t(e)];
  Eigen::VectorXd right = want_b;
  if (a.singular()) right.array() -= right.mean();
  const Eigen::VectorXd got = eigen_of(answer_of<T>(in("u.npy"), p.d.cells.size()));
  const double round = (sizeof(T) == 8 ? 1e-13 : 1e-4) *
                       dense.cwiseAbs().rowwise().sum().maxCoeff() * (1 + got.norm());
  EXPECT_LE((right - dense * got).norm(), 1.01 * rtol * right.norm() + round);
  EXPECT_EQ(j.at("null_space"), a.singular() ? "constant" : "none");
  if (sizeof(T) == 8 && n <= 400) {
    const Eigen::VectorXd exact = dense.completeOrthogonalDecomposition().solve(right);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    const double least = a.singular() ? (n > 1 ? values(1) : 1) : values(0);
    EXPECT_LE((exact - got).norm(), 2 * rtol * right.norm() / least + 1e-9 * (1 + exact.norm()));
  }
  EXPECT_EQ(lines_of(read_text(in("history.csv"))).size(),
            std::size_t(j.at("iterations").get<int>()) + 2);
}

TEST(cli_grid, solves_what_dense_solvers_solve) {
  for (int k = 0; k < rounds(40); ++k) expect_solved<double>(1 + unsigned(k));
  for (int k = 0; k < rounds(15); ++k) expect_solved<float>(101 + unsigned(k));
}

TEST(cli_grid, a_report_for_people_and_one_for_programs) {
  const scratch_folder in;
  const auto r = dwell_cli({"grid", "40x50", "--boundary", "x-: dirichlet 1, y: neumann", "--json",
                            in("report.json"), "-o", in("u.npy"), "--s", "0.5"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  EXPECT_TRUE(holds(r.out, "-div(k grad u) + s u = f, k 1, s 0.5"));
  EXPECT_TRUE(holds(r.out, "40x50, 2,000 unknowns, cell-centred, spacing 1"));
  EXPECT_TRUE(holds(r.out, "y: neumann 0, x-: dirichlet 1, x+: dirichlet 0"));
  EXPECT_TRUE(holds(r.out, "converged after "));
  EXPECT_TRUE(holds(r.out, in("u.npy") + " (answer)"));
  const auto j = nlohmann::json::parse(read_text(in("report.json")));
  EXPECT_EQ(j.at("size"), "40x50");
  EXPECT_EQ(j.at("levels").at(0).at("size"), "40x50");
  EXPECT_EQ(j.at("boundary").at(2).at("side"), "x-");
  EXPECT_EQ(j.at("boundary").at(2).at("condition"), "dirichlet 1");
  EXPECT_EQ(j.at("files").at("answer"), in("u.npy"));
}

/// Restarted from its answer it has nothing to do; in place, and through pipes.
TEST(cli_grid, starts_from_an_answer) {
  const scratch_folder in;
  const words args = {"grid", "30x40", "--rhs", "2", "-o", in("u.npy"), "-q"};
  ASSERT_EQ(dwell_cli(args).code, 0);
  const auto once = read_npy<double>(in("u.npy"));
  words again = args;
  again.insert(again.end(), {"--x0", in("u.npy"), "--json", "-"});
  EXPECT_EQ(report_of(again).at("iterations"), 0);
  const auto piped = dwell_cli({"grid", "30x40", "--rhs", "2", "--x0", "-", "-q"},
                               {.input = read_text(in("u.npy"))});
  EXPECT_EQ(piped.code, 0) << piped.err;
  const auto out = dwell_cli({"grid", "30x40", "--rhs", "2", "-o", "-"});
  EXPECT_EQ(out.out, read_text(in("u.npy")));
  EXPECT_TRUE(holds(out.err, "converged after"));
}

TEST(cli_grid, the_matrix_is_one_that_dwell_solve_solves) {
  const scratch_folder in;
  ASSERT_EQ(
      dwell_cli({"grid", "20x30", "--boundary", "x: neumann 1, y: dirichlet 2", "--rtol", "1e-12",
                 "--matrix", in("a.mtx"), "--matrix-rhs", in("b.mtx"), "-o", in("u.npy"), "-q"})
          .code,
      0);
  ASSERT_EQ(dwell_cli({"solve", in("a.mtx"), "--rhs", in("b.mtx"), "--rtol", "1e-12", "-o",
                       in("x.npy"), "-q"})
                .code,
            0);
  const auto u = read_npy<double>(in("u.npy"));
  const auto x = read_vector(in("x.npy"));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(u.cells()[i], x[i], 1e-6 * std::abs(x[i]));
}

TEST(cli_grid, every_method) {
  for (const char* method : {"cg", "multigrid", "minres", "bicgstab", "chebyshev", "jacobi"}) {
    const auto j = report_of(
        {"grid", "20x30", "--method", method, "--max-iterations", "100000", "--json", "-"});
    EXPECT_EQ(j.at("solver"), method);
    EXPECT_LE(j.at("residual").at("relative_true"), 1e-8);
  }
  const auto plain = report_of({"grid", "20x30", "--method", "minres", "--preconditioner", "none",
                                "--s", "-0.05", "--json", "-"});
  EXPECT_EQ(plain.at("preconditioner"), "none");
  EXPECT_EQ(plain.at("levels").size(), 1u);
}

TEST(cli_grid, options_of_multigrid) {
  const words args = {"grid",     "60x70",    "--cycle", "w", "--coarse",        "galerkin",
                      "--method", "bicgstab", "--json",  "-", "--full-multigrid"};
  const auto j = report_of(args);
  EXPECT_EQ(j.at("cycle"),
            "W-cycle of small levels, as asked for; Galerkin's coarse operators; full multigrid "
            "first");
  words explained = args;
  explained.insert(explained.begin(), "explain");
  const auto e = report_of(explained);
  EXPECT_EQ(e.at("cycle"), j.at("cycle"));
  EXPECT_EQ(e.at("levels").at(1).at("solved_by"), "Gauss-Seidel, planes by turns");
  EXPECT_EQ(e.at("bytes_per_iteration"), j.at("bytes_per_iteration"));
  EXPECT_EQ(report_of({"grid", "60x70", "--smoother", "lines", "--json", "-"}).at("cycle"),
            "V-cycle; lines are relaxed");
  const auto plain = report_of({"grid", "60x70", "--json", "-"});
  EXPECT_EQ(plain.at("cycle"), "V-cycle");
  EXPECT_EQ(report_of({"explain", "grid", "60x70", "--json", "-"}).at("bytes_per_iteration"),
            plain.at("bytes_per_iteration"));
}

TEST(cli_grid, exit_codes) {
  EXPECT_EQ(dwell_cli({"grid", "100x100", "--max-iterations", "1"}).code, 2);
  const auto most = dwell_cli({"grid", "100x100", "--rtol", "0"});
  EXPECT_EQ(most.code, 2);
  EXPECT_TRUE(holds(most.err, "rounding allows no better"));
  const auto none = dwell_cli({"grid", "30x20", "--boundary", "neumann"});
  EXPECT_EQ(none.code, 0);
  EXPECT_TRUE(holds(none.err, "warning: no side and no --s holds u"));
  EXPECT_EQ(dwell_cli({"grid", "1000000x1000000"}).code, 4);
  const auto stopped = dwell_cli(
      {"grid", "2000x2000", "--rtol", "0", "--max-iterations", "1000000", "--json", "-"},
      {.terminal = true,
       .signal_when = [](const std::string& err) { return holds(err, "residual") ? true : false; },
       .signal = 2});
  EXPECT_TRUE(stopped.code == 130 || stopped.code == 2) << stopped.code;
}

/// A default solve in f32 goes as far as rounding allows; a tolerance that is given counts.
TEST(cli_grid, tolerances_by_precision) {
  const words args = {"grid", "150x160", "--precision", "f32", "--json", "-", "-q"};
  const auto j = report_of(args);
  EXPECT_EQ(j.at("met_by_rounding"), true);
  EXPECT_EQ(j.at("tolerance").at("relative"), 1e-5);
  EXPECT_EQ(j.at("tolerance").at("target"), 1e-5);
  EXPECT_EQ(j.at("stop_reason"), "converged");
  EXPECT_EQ(j.at("device").at("backend"), "cpu");
  EXPECT_TRUE(j.at("advice").is_null());
  EXPECT_TRUE(holds(dwell_cli({"grid", "150x160", "--precision", "f32"}).out,
                    ", as far as rounding allows in f32"));
  const auto asked = dwell_cli({"grid", "150x160", "--precision", "f32", "--rtol", "1e-5"});
  EXPECT_EQ(asked.code, 2);
  EXPECT_TRUE(
      holds(asked.err, "wanted 1.00e-05; rounding allows no smaller true residual: try f64"))
      << asked.err;
  const auto ranks = report_of({"grid", "150x160", "--precision", "f32", "--ranks", "2",
                                "--threads", "1", "--json", "-", "-q"});
  EXPECT_EQ(ranks.at("residual"), j.at("residual"));
  EXPECT_EQ(ranks.at("met_by_rounding"), true);
  const auto wide = report_of({"grid", "150x160", "--json", "-", "-q"});
  EXPECT_EQ(wide.at("tolerance").at("target"), 1e-8);
  EXPECT_EQ(wide.at("met_by_rounding"), false);
}

TEST(cli_grid, starts_and_right_hand_sides_of_every_magnitude) {
  for (const char* rhs : {"1e-300", "1", "-1e150", "1e300"})
    for (const char* start : {"-1e-300", "1e-20", "1e60", "1e200", "-1e300"}) {
      const auto j = report_of({"grid", "7x9", "--rhs", rhs, "--x0", start, "--json", "-", "-q"});
      EXPECT_EQ(j.at("stop_reason"), "converged") << rhs << " from " << start;
      EXPECT_LE(j.at("residual").at("relative_true"), 1e-8);
    }
}

TEST(cli_grid, ranks_have_the_bits_of_one) {
  const scratch_folder in;
  for (int k = 0, done = 0; done < rounds(20); ++k) {
    grid_case<double> c(501 + unsigned(k), in);
    if (c.d.cells.size() == 1 || c.d.cells[0] < 6) continue;
    const bool ring = c.d.boundary.sides[0][0].kind == boundary_kind::periodic;
    ++done;
    words one = c.args, some = c.args;
    // Without ranks axes may lie in memory in another order.
    const bool without = done == 1;
    if (!without) one.insert(one.end(), {"--ranks", "1"});
    one.insert(one.end(), {"-o", in("one.npy"), "--threads", "1", "--json", in("one.json"), "-q"});
    some.insert(some.end(),
                {"-o", in("some.npy"), "--ranks", std::to_string(2 + k % 2), "--threads", "1",
                 "--gather-below", k % 3 ? "1" : "500", "--json", in("some.json"), "-q"});
    const auto first = dwell_cli(one), second = dwell_cli(some);
    ASSERT_EQ(first.code, 0) << first.err;
    ASSERT_EQ(second.code, 0) << second.err;
    const auto j = nlohmann::json::parse(read_text(in("one.json")));
    const auto r = nlohmann::json::parse(read_text(in("some.json")));
    EXPECT_EQ(j.at("ranks").size(), without ? 0u : 1u);
    EXPECT_EQ(j.at("transport").is_null(), without);
    ASSERT_EQ(r.at("ranks").size(), 2u + unsigned(k) % 2);
    EXPECT_EQ(r.at("transport"), "threads");
    EXPECT_EQ(r.at("ranks").at(1).at("first_layer"), r.at("ranks").at(0).at("layers"));
    EXPECT_GT(r.at("ranks").at(0).at("bytes").get<int>(), 0);
    EXPECT_EQ(r.at("levels"), j.at("levels"));
    if (ring || without) continue;  // rounded otherwise where coefficients vary
    EXPECT_EQ(r.at("iterations"), j.at("iterations"));
    EXPECT_EQ(read_text(in("some.npy")), read_text(in("one.npy")));
  }
}

TEST(cli_grid, a_report_of_ranks) {
  const auto r = dwell_cli({"grid", "300x200", "--ranks", "2", "--threads", "1", "--per-rank"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "2 (threads), slabs of at most 150 layers; 1 level divided"));
  EXPECT_TRUE(holds(r.out, "exchanges        at most "));
  EXPECT_TRUE(holds(r.out, "rank  first layer  layers  threads"));
  EXPECT_TRUE(holds(dwell_cli({"grid", "300x200", "--ranks", "1"}).out, "all levels are its"));
  EXPECT_TRUE(
      holds(dwell_cli({"grid", "31x20", "--ranks", "3", "--boundary", "periodic", "--s", "1"}).out,
            "no level divided, cycles are rank 0's"));
}

TEST(cli_grid, refusals) {
  const scratch_folder in;
  grid<double> wide(extents(3, 4));
  std::ranges::fill(wide.cells(), 1.0);
  write_npy<double>(in("k.npy"), wide.view());
  grid<float> single(extents(3, 5));
  write_npy<float>(in("single.npy"), single.view());
  write_vector(in("line.npy"), std::vector<double>(4, 1.0));
  wide(1, 2) = std::nan("");
  write_npy<double>(in("nan.npy"), wide.view());
  const auto refused = [&](words more, const std::string& part, int code = 1) {
    words args = {"grid"};
    args.insert(args.end(), more.begin(), more.end());
    expect_refused(args, part, code);
  };
  refused({}, "SIZE");
  for (const char* size : {"0x3", "3x", "x", "3x4x5x6", "3,4", "-3", "1e3", "-99999999999"})
    refused({"--", size}, "SIZE: expected unknowns along one to three axes");
  refused({"100000x100000x100000"}, "SIZE: expected at most 2^40");
  for (const char* size : {"2147483648", "3x99999999999"})
    refused({size}, "SIZE: expected at most 2147483647 unknowns along an axis");
  refused({"1000000x1000000"}, "too little memory: 1000000x1000000 unknowns need ", 4);
  refused({"3x5", "--matrix", in("m.txt")}, "--matrix: expected a name that ends in .mtx");
  refused({"3x5", "--spacing", "1e200"}, "k over spacing squared is too small for the precision");
  refused({"3x5", "--k", "zero"},
          "--k: expected a number or the name of a .npy file, found 'zero'");
  refused({"3x5", "--k", "0"}, "k: expected a number > 0, found 0");
  refused({"3x5", "--s", "-1"}, "s: expected numbers >= 0 for method cg");
  refused({"3x5", "--k", "nan"}, "--k: expected a number");
  refused({"3x5", "--k", in("k.npy")}, "k.npy: expected 3x5 values, found 3x4");
  refused({"3x4x1", "--k", in("k.npy")}, "k.npy: expected 3x4x1 values, found 3x4");
  refused({"3x5", "--k", in("single.npy")}, "expected f64 values, found f32; add --precision f32");
  refused({"3x4", "--rhs", in("nan.npy")}, "nan.npy: expected finite values");
  refused({"3x4", "--rhs", in("none.npy")}, "none.npy");
  refused({"5", "--rhs", in("line.npy")}, "line.npy: expected 5 values, found 4");
  refused({"3x5", "--spacing", "1,2,3"}, "--spacing: expected one number or 2");
  refused({"3x5", "--spacing", "0"}, "--spacing: expected numbers > 0");
  refused({"3x5", "--boundary", "x: cold"}, "boundary: expected dirichlet, neumann, robin");
  refused({"3x5", "--boundary", "x: neuman 1"}, "found 'neuman'; did you mean 'neumann'?");
  refused({"3x5", "--boundary", "z: dirichlet"}, "boundary:");
  refused({"3x5", "--boundary", "x-: periodic"}, "periodic");
  refused({"3x5", "--boundary-values", "z-=" + in("line.npy")},
          "--boundary-values: expected a side");
  refused({"3x4", "--boundary-values", "x-=" + in("line.npy")}, "expected 3 values, found 4");
  refused({"3x4", "--boundary-values", "y-=" + in("line.npy"), "--boundary-values",
           "y-=" + in("line.npy")},
          "--boundary-values: expected each side once");
  refused({"3x4", "--k-faces", "x=" + in("k.npy")}, "expected 3x5 values, found 3x4");
  refused({"3x5", "--k-faces", "k.npy"}, "--k-faces: expected an axis and a file");
  refused({"3x5", "--method", "lu"}, "--method: expected cg, multigrid, minres");
  refused({"3x5", "--method", "multigrid", "--preconditioner", "jacobi"},
          "preconditioner: method multigrid has none");
  refused({"3x5", "--cycle", "f"}, "--cycle: expected auto, v or w");
  refused({"3x5", "--coarse", "amg"}, "--coarse: expected auto, averaged or galerkin");
  refused({"3x5", "--method", "jacobi", "--full-multigrid"}, "full_multigrid: expected multigrid");
  refused({"3x5", "--rtol", "-1"}, "--rtol");
  refused({"3x5", "--max-iterations", "0"}, "--max-iterations");
  refused({"3x5", "-o", in("u.txt")}, "--output: expected a name that ends in .npy");
  refused({"15", "-o", in("u.png")}, "--output: expected a name that ends in .mtx");
  refused({"3x5", "--matrix", in("a.txt")}, ".mtx");
  refused({"3x4", "--k", in("k.npy"), "-o", in("k.npy")}, "is an input of this run");
  refused({"8x5", "--ranks", "5"}, "ranks: expected at most 4 for 8 unknowns");
  refused({"40", "--ranks", "2"}, "found 2 ranks and one axis");
  refused({"8x5", "--ranks", "2", "--smoother", "lines"}, "lines go along the axis");
  refused({"8x5", "--ranks", "2", "--device", "cuda"}, "--device: ranks solve grids on CPUs");
  refused({"8x5", "--gather-below", "5"}, "--gather-below: expected --ranks or --distributed");
  refused({"8x5", "--per-rank"}, "--per-rank: expected --ranks");
  refused({"8x5", "--ranks", "2", "--k", "0"}, "k: expected a number > 0, found 0");
  refused({"3x5", "--ranks", "2", "--k", in("none.npy")}, "none.npy");
  refused({"1x5", "--centring", "vertex", "--boundary", "neumann"}, "vertex");
  EXPECT_EQ(in.files().size(), 4u);
}

}  // namespace
}  // namespace dwell::test
