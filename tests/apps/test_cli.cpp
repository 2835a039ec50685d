// SPDX-License-Identifier: MIT
// `dwell cg` from outside: what it prints where, what it writes, with which code it ends.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "cli_runner.hpp"
#include "dwell/formats/matrix_market.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// Not positive definite, though its diagonal is; (1, -1) shows it in the first iteration.
std::string indefinite(const scratch_folder& in) {
  in.write("minus.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n-1\n");
  return in.write("indefinite.mtx", two_by_two(1, 2, 1));
}

TEST(cli_cg, converged_report) {
  const auto r = dwell_cli({"cg", "trefethen:500"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "") << "no progress where standard error is no terminal";
  for (const auto* part : {"trefethen:500", "500 rows", "8,478 nonzeros", "row sums", "executor",
                           "converged after", "per iteration", "true", "f64"})
    EXPECT_TRUE(holds(r.out, part));
}

TEST(cli_cg, quiet_prints_nothing) {
  const auto r = dwell_cli({"cg", "trefethen:500", "--quiet"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out + r.err, "");
}

TEST(cli_cg, json_on_standard_output_is_alone) {
  const auto r =
      dwell_cli({"cg", "trefethen:500", "--json", "-", "--rtol", "1e-6", "--device", "cpu",
                 "--executor", "host-loop", "--policy", "none", "--preconditioner", "none"});
  EXPECT_EQ(r.code, 0);
  const auto j = r.json();
  EXPECT_EQ(j.at("matrix").at("name"), "trefethen:500");
  EXPECT_EQ(j.at("matrix").at("rows"), 500);
  EXPECT_EQ(j.at("matrix").at("nonzeros"), 8478);
  EXPECT_EQ(j.at("device").at("backend"), "cpu");
  EXPECT_NE(j.at("device").at("name"), "");
  EXPECT_EQ(j.at("executor"), "host-loop");
  EXPECT_EQ(j.at("policy"), "none");
  EXPECT_EQ(j.at("precision"), "f64");
  EXPECT_EQ(j.at("preconditioner"), "none");
  EXPECT_EQ(j.at("stop_reason"), "converged");
  EXPECT_NEAR(j.at("iterations").get<int>(), 173, 6);  // Trefethen_500 of SuiteSparse, plain CG
  EXPECT_LE(j.at("residual").at("relative_recursive").get<double>(), 1e-6);
  EXPECT_LE(j.at("residual").at("relative_true").get<double>(), 1.1e-6);
  for (const auto* key :
       {"read_s", "context_s", "setup_s", "solve_s", "finish_s", "per_iteration_us"})
    EXPECT_GE(j.at("time").at(key).get<double>(), 0) << key;
  EXPECT_LT(j.at("largest_error").get<double>(), 1e-2);
}

TEST(cli_cg, what_the_answer_is_worth) {
  const auto plain = dwell_cli({"cg", "trefethen:500", "--preconditioner", "none", "--json", "-"});
  EXPECT_EQ(plain.err, "");
  const double condition = plain.json().at("condition").get<double>();
  EXPECT_GT(condition, 1e3);
  EXPECT_LT(condition, 1e4);
  EXPECT_NEAR(plain.json().at("error_estimate").get<double>(),
              condition * plain.json().at("residual").at("relative_true").get<double>(), 1e-12);
  EXPECT_EQ(plain.json().at("no_digit_safe"), false);
  EXPECT_TRUE(holds(dwell_cli({"cg", "trefethen:500"}).out, "condition        at least "));

  // Converged, and x_3 half wrong.
  const scratch_folder in;
  const auto hidden =
      in.write("hidden.mtx",
               "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1\n2 2 2\n3 3 1e-9\n");
  const auto rhs =
      in.write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n1\n1e-10\n");
  const auto unsafe = dwell_cli({"cg", hidden, "--rhs", rhs, "--preconditioner", "none"});
  EXPECT_EQ(unsafe.code, 0);
  EXPECT_TRUE(holds(unsafe.err, "no digit of the answer is safe"));
  EXPECT_TRUE(holds(unsafe.out, "NO DIGIT IS SAFE"));
  // One iteration shows no condition.
  const auto one =
      in.write("one.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 3\n");
  EXPECT_TRUE(dwell_cli({"cg", one, "--json", "-"}).json().at("condition").is_null());
}

TEST(cli_cg, not_converged_says_what_to_try) {
  const auto falls = dwell_cli(
      {"cg", "trefethen:500", "--preconditioner", "none", "--max-iterations", "40", "--json", "-"});
  EXPECT_EQ(falls.code, 2);
  EXPECT_EQ(falls.json().at("stagnated"), false);
  EXPECT_TRUE(holds(falls.err, "still falls: try more iterations, a preconditioner (jacobi, amg)"));
  EXPECT_TRUE(holds(falls.err, falls.json().at("advice").get<std::string>()));
  // In one dimension a residual does not fall before the iteration has crossed the domain.
  const scratch_folder in;
  const int n = 500;
  std::string line = "%%MatrixMarket matrix coordinate real symmetric\n500 500 999\n";
  for (int i = 1; i <= n; ++i) {
    line += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    if (i < n) line += std::to_string(i + 1) + " " + std::to_string(i) + " -1\n";
  }
  const auto rests =
      dwell_cli({"cg", in.write("line.mtx", line), "--precision", "f32", "--rhs", "ones",
                 "--variant", "pipelined", "--max-iterations", "150", "--preconditioner", "none"});
  EXPECT_EQ(rests.code, 2);
  for (const auto* part : {"stagnates", "jacobi", "single-reduction or textbook", "f64"})
    EXPECT_TRUE(holds(rests.err, part));
}

TEST(cli_cg, jacobi_and_the_other_right_hand_sides) {
  const scratch_folder in;
  const auto plain =
      dwell_cli({"cg", "trefethen:500", "--preconditioner", "none", "--rhs", "ones", "--json", "-"})
          .json();
  const auto jacobi = dwell_cli({"cg", "trefethen:500", "--preconditioner", "jacobi", "--rhs",
                                 "ones", "--json", "-"})
                          .json();
  EXPECT_EQ(jacobi.at("preconditioner"), "jacobi");
  EXPECT_EQ(jacobi.at("rhs"), "ones");
  EXPECT_TRUE(jacobi.at("largest_error").is_null()) << "the answer is not known for this one";
  EXPECT_LT(jacobi.at("iterations"), plain.at("iterations")) << "the diagonal spans 2 to 3571";

  const auto a = in.write("a.mtx", two_by_two(4, 1, 3));
  const auto b = in.write("b.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n2\n");
  ASSERT_EQ(dwell_cli({"cg", a, "--rhs", b, "-o", in("x.mtx"), "--rtol", "1e-14"}).code, 0);
  const auto x = read_matrix_market_vector(in("x.mtx"));
  ASSERT_EQ(x.size(), 2u);
  EXPECT_NEAR(x[0], 1.0 / 11, 1e-14);
  EXPECT_NEAR(x[1], 7.0 / 11, 1e-14);
}

TEST(cli_cg, companion_of_an_archive) {
  const scratch_folder in;
  std::filesystem::create_directory(in("two"));
  in.write("two/two.mtx", two_by_two(4, 1, 3));
  in.write("two/two_b.mtx", "%%MatrixMarket matrix array real general\n2 1\n5\n4\n");
  ASSERT_EQ(std::system(("tar -C " + in("") + " -czf " + in("two.tar.gz") + " two").c_str()), 0);
  const auto offered = dwell_cli({"cg", in("two.tar.gz")});
  EXPECT_EQ(offered.code, 0) << offered.err;
  EXPECT_TRUE(holds(offered.out, "--rhs companion"));
  const auto used = dwell_cli({"cg", in("two.tar.gz"), "--rhs", "companion", "-o", in("x.mtx")});
  EXPECT_EQ(used.code, 0) << used.err;
  EXPECT_NEAR(read_matrix_market_vector(in("x.mtx")).at(0), 1, 1e-7);

  const auto none = dwell_cli({"cg", in("two/two.mtx"), "--rhs", "companion"});
  EXPECT_EQ(none.code, 1);
  EXPECT_TRUE(holds(none.err, "two_b.mtx"));
}

TEST(cli_cg, single_precision) {
  const auto r =
      dwell_cli({"cg", "poisson2d:30x30", "--precision", "f32", "--rtol", "1e-5", "--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("precision"), "f32");
  EXPECT_LT(r.json().at("residual").at("relative_true").get<double>(), 1.1e-5);
}

TEST(cli_cg, mixed_precision) {
  for (const char* command : {"cg", "solve"}) {
    const auto r = dwell_cli({command, "poisson2d:30x30", "--precision", "mixed", "--device", "cpu",
                              "--rtol", "1e-12", "--json", "-"});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(r.json().at("precision"), "mixed");
    EXPECT_GE(r.json().at("refinements"), 1);
    EXPECT_LE(r.json().at("residual").at("relative_true").get<double>(), 1e-12);
    EXPECT_LT(r.json().at("largest_error").get<double>(), 1e-9);
    EXPECT_TRUE(holds(r.json().at("reason").get<std::string>(), "iterations in f32"));
    const auto plan = dwell_cli({"explain", command, "poisson2d:30x30", "--precision", "mixed",
                                 "--device", "cpu", "--json", "-"});
    EXPECT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(plan.json().at("precision"), "mixed");
  }
  const auto several = dwell_cli({"cg", "poisson2d:30x30", "--precision", "mixed", "--device",
                                  "cpu", "--rhs-count", "3", "--json", "-"});
  EXPECT_EQ(several.code, 0) << several.err;
  const auto whole =
      dwell_cli({"compare", "solve", "poisson2d:20x20", "--precision", "mixed", "--device", "cpu",
                 "--preconditioners", "jacobi", "--repetitions", "1", "--format", "json"});
  EXPECT_EQ(whole.code, 0) << whole.err;
  EXPECT_EQ(whole.json().at("precision"), "mixed");
  EXPECT_EQ(dwell_cli({"compare", "cg", "poisson2d:20x20", "--precision", "mixed"}).code, 1);
}

TEST(cli_cg, disagreeing_residuals_are_a_warning_even_if_quiet) {
  const auto r = dwell_cli({"cg", "poisson2d:30x30", "--precision", "f32", "--rtol", "1e-14", "-q",
                            "--max-iterations", "500"});
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(starts(r.err, "dwell: warning: the true residual"));
}

/// Where numbers have ended there is nothing to compare.
TEST(cli_cg, true_residual_that_misses_the_tolerance) {
  const std::vector<std::string> system = {
      "cg", "poisson2d:100x100", "--precision", "f32",   "--device", "cpu", "--json",
      "-",  "--executor",        "persistent",  "--rtol"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), system.begin(), system.end());
    return dwell_cli(more);
  };
  const auto refined = with({"1e-5"});
  EXPECT_EQ(refined.code, 0) << refined.err;
  EXPECT_GE(refined.json().at("refinements"), 1);
  EXPECT_EQ(refined.json().at("target_missed"), false);
  const auto never = with({"1e-8"});
  EXPECT_EQ(never.code, 2);
  EXPECT_EQ(never.json().at("stop_reason"), "accuracy limit");
  EXPECT_EQ(never.json().at("target_missed"), true);
  EXPECT_TRUE(holds(never.err, "the true residual is above the tolerance"));
  EXPECT_TRUE(holds(never.err, "try f64"));
  const auto once = with({"1e-5", "--no-refine"});
  EXPECT_EQ(once.code, 2);
  EXPECT_EQ(once.json().at("refinements"), 0);
  EXPECT_EQ(once.json().at("stop_reason"), "converged");
  EXPECT_TRUE(holds(once.err, "the true one is ABOVE the tolerance"));
}

TEST(cli_cg, neumann_boundaries) {
  const auto part = dwell_cli({"cg", "neumann2d:40x30", "--rhs", "ones", "--device", "cpu"});
  EXPECT_EQ(part.code, 0) << part.err;
  EXPECT_TRUE(holds(part.out, "null space       constant"));
  EXPECT_TRUE(holds(part.err, "with that part there is no solution"));
  const auto off = dwell_cli({"cg", "neumann2d:40x30", "--rhs", "ones", "--device", "cpu",
                              "--null-space", "none", "--max-iterations", "200"});
  EXPECT_NE(off.code, 0);
  EXPECT_TRUE(holds(off.err, "has no solution: try null_space auto")) << off.err;
  // Constants are no null space of a matrix whose rows have other sums.
  const auto asked = dwell_cli(
      {"cg", "poisson2d:20x15", "--device", "cpu", "--null-space", "constant", "--rhs", "ones"});
  EXPECT_EQ(asked.code, 1);
  EXPECT_TRUE(holds(asked.err, "null_space: expected auto, none, or a matrix that takes constant"))
      << asked.err;
}

TEST(cli_cg, names_the_words_that_a_right_hand_side_may_be) {
  const scratch_folder in;
  for (const auto& [text, meant] : {std::pair<std::string, std::string>{"one", "'ones'"},
                                    {"rowsums", "'row-sums'"},
                                    {"companio", "'companion'"}})
    expect_refused({"cg", "poisson2d:4x4", "--rhs", text},
                   "--rhs: expected ones, row-sums, companion or the name of a file that is there, "
                   "found '" +
                       text + "'; did you mean " + meant + "?");
  expect_refused({"cg", "poisson2d:4x4", "--rhs", in("none.mtx")},
                 "found '" + in("none.mtx") + "'");
  expect_refused({"cg", "poisson2d:4x4", "--ranks", "2", "--rhs", "one"}, "did you mean 'ones'?");
}

TEST(cli_cg, null_vectors) {
  const scratch_folder in;
  // Two chains of two points; the null space is spanned by their indicators, or by these two.
  const auto a = in.write("parts.mtx",
                          "%%MatrixMarket matrix coordinate real symmetric\n4 4 6\n1 1 1\n2 1 -1\n"
                          "2 2 1\n3 3 2\n4 3 -2\n4 4 2\n");
  const auto n = in.write(
      "null.mtx", "%%MatrixMarket matrix array real general\n4 2\n1\n1\n1\n1\n1\n1\n-1\n-1\n");
  const auto b = in.write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n3\n1\n0\n8\n");
  const auto x = in("x.mtx");
  const auto r = dwell_cli(
      {"cg", a, "--rhs", b, "--null-vectors", n, "--device", "cpu", "--output", x, "--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.err, "is in the span of --null-vectors"));
  EXPECT_EQ(r.json().at("null_space"), "given");
  const auto answer = read_matrix_market_vector(x);
  const double want[] = {0.5, -0.5, -1, 1};
  for (std::size_t i = 0; i < 4; ++i) EXPECT_NEAR(answer[i], want[i], 1e-12);
  const auto text = dwell_cli({"cg", a, "--rhs", b, "--null-vectors", n, "--device", "cpu"});
  EXPECT_TRUE(holds(text.out, "null space       given: b without its part in it")) << text.out;
  EXPECT_TRUE(
      holds(dwell_cli({"cg", a, "--null-vectors", b, "--device", "cpu"}).err, "takes to zero"));
  EXPECT_TRUE(holds(dwell_cli({"cg", "poisson2d:3x3", "--null-vectors", n}).err,
                    "expected 9 rows of null vectors"));
  EXPECT_EQ(dwell_cli({"cg", a, "--null-vectors", n, "--null-space", "constant"}).code, 1);
}

TEST(cli_cg, says_what_to_know_of_the_preconditioner) {
  std::string text = "%%MatrixMarket matrix coordinate real symmetric\n2000 2000 3999\n";
  for (int i = 1; i <= 2000; ++i) {
    const std::string row = std::to_string(i);
    text += row + " " + row + " 2001\n";
  }
  for (int i = 1; i < 2000; ++i) text += "2000 " + std::to_string(i) + " -1\n";
  const scratch_folder folder;
  const std::string arrow = folder.write("arrow.mtx", text);
  const std::string note = "fsai: a row of A^2 has too many elements";
  for (const char* command : {"cg", "solve"}) {
    const std::vector<std::string> plain = {command,    arrow, "--preconditioner", "fsai",
                                            "--device", "cpu", "--threads",        "1"};
    EXPECT_FALSE(holds(dwell_cli(plain).out, note));
    auto args = plain;
    args.insert(args.end(), {"--power", "2"});
    EXPECT_TRUE(holds(dwell_cli(args).out, "preconditioner   fsai\n                 " + note));
    args.insert(args.end(), {"--json", "-"});
    EXPECT_TRUE(holds(dwell_cli(args).json().at("preconditioner_note"), note));
  }
  EXPECT_TRUE(dwell_cli({"cg", "poisson2d:3x3", "--device", "cpu", "--json", "-"})
                  .json()
                  .at("preconditioner_note")
                  .is_null());
}

/// Cyclic shifts: GMRES finds nothing before it has as many vectors as there are rows.
TEST(cli_cg, a_method_that_is_left_is_not_at_the_limit) {
  const scratch_folder in;
  for (const int n : {701, 1200}) {
    SCOPED_TRACE(n);
    std::string shift = fmt::format("%%MatrixMarket matrix coordinate real general\n{0} {0} {1}\n",
                                    n, 2 * n),
                b = fmt::format("%%MatrixMarket matrix array real general\n{} 1\n", n);
    for (int i = 1; i <= n; ++i) {
      shift += fmt::format("{0} {1} 1\n{0} {0} 1e-3\n", i, i % n + 1);
      b += fmt::format("{}\n", i * 7919 % 101 - 50);
    }
    const auto r =
        dwell_cli({"solve", in.write("shift.mtx", shift), "--rhs", in.write("b.mtx", b),
                   "--preconditioner", "none", "--device", "cpu", "--json", in("r.json")});
    EXPECT_EQ(r.code, 2) << r.err;
    const auto j = nlohmann::json::parse(read_text(in("r.json")));
    ASSERT_LT(j.at("iterations"), 10000);
    EXPECT_EQ(j.at("stagnated"), true);
    EXPECT_TRUE(holds(r.err, "NOT converged: the residual rested, and was left after")) << r.err;
    EXPECT_TRUE(holds(r.err, "the residual stagnates")) << r.err;
    EXPECT_TRUE(holds(r.err, "try ")) << r.err;
    EXPECT_FALSE(holds(r.out + r.err, "within the limit")) << r.out;
  }
}

TEST(cli_cg, open_preconditioner) {
  const auto r = dwell_cli({"cg", "poisson2d:20x20", "--device", "cpu"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(holds(r.out, "preconditioner   jacobi"));
  EXPECT_TRUE(holds(r.out, "the cheapest first")) << r.out;
  EXPECT_FALSE(holds(r.out, "attempts")) << r.out;
  EXPECT_EQ(dwell_cli({"cg", "poisson2d:20x20", "--preconditioner", "auto", "--json", "-"})
                .json()
                .at("attempts")
                .size(),
            1u);
  const auto several = dwell_cli({"cg", "anisotropic2d:250x250:1e-2", "--device", "cpu"});
  EXPECT_EQ(several.code, 0) << several.err;
  EXPECT_TRUE(holds(several.out, "attempts         cg with jacobi: ")) << several.out;
  EXPECT_TRUE(holds(several.out, "\n                 cg with amg: ")) << several.out;
  const auto e = dwell_cli({"explain", "cg", "poisson2d:200x200", "--device", "cpu"});
  EXPECT_EQ(e.code, 0) << e.err;
  EXPECT_TRUE(holds(e.out, "jacobi: the cheapest first")) << e.out;
}

TEST(cli_cg, residuals_of_a_run_that_is_not_finite_do_not_disagree) {
  const scratch_folder in;
  const auto a = in.write("a.mtx",
                          "%%MatrixMarket matrix coordinate real symmetric\n3 3 3\n1 1 1e160\n"
                          "2 2 2e160\n3 3 3e160\n");
  for (const char* variant : {"textbook", "single-reduction", "pipelined"}) {
    const auto r = dwell_cli({"cg", a, "--variant", variant});
    if (!holds(r.err, "NOT FINITE")) continue;
    EXPECT_FALSE(holds(r.err, "disagree")) << r.err;
    EXPECT_FALSE(holds(r.out, "DISAGREE")) << r.out;
  }
}

TEST(cli_cg, iteration_limit_is_2_and_writes_everything) {
  const scratch_folder in;
  const auto r = dwell_cli({"cg", "trefethen:500", "--max-iterations", "1", "-o", in("x.mtx"),
                            "--history", in("h.csv"), "--json", in("r.json")});
  EXPECT_EQ(r.code, 2);
  EXPECT_TRUE(holds(r.out, "NOT converged"));
  EXPECT_TRUE(holds(r.err, "limit of 1 iteration;"));
  EXPECT_EQ(in.files(), (strings{"h.csv", "r.json", "x.mtx"}));
  EXPECT_EQ(read_matrix_market_vector(in("x.mtx")).size(), 500u);
  EXPECT_TRUE(holds(read_text(in("x.mtx")), "NOT converged"));
  const auto j = nlohmann::json::parse(read_text(in("r.json")));
  EXPECT_EQ(j.at("iterations"), 1);
  EXPECT_EQ(j.at("files").at("answer"), in("x.mtx"));
}

TEST(cli_cg, history_has_one_line_per_iteration) {
  const scratch_folder in;
  const auto j = dwell_cli({"cg", "trefethen:500", "--history", in("h.csv"), "--json", "-"}).json();
  const auto lines = lines_of(read_text(in("h.csv")));
  ASSERT_EQ(lines.size(), j.at("iterations").get<std::size_t>() + 2);  // a title, and iteration 0
  EXPECT_EQ(lines.front(), "iteration,residual_norm,relative_residual");
  const auto last = lines.back();
  EXPECT_TRUE(starts(last, j.at("iterations").dump() + ","));
  EXPECT_NEAR(std::stod(last.substr(last.rfind(',') + 1)) /
                  j.at("residual").at("relative_recursive").get<double>(),
              1, 1e-9);
}

TEST(cli_cg, restart_from_an_answer) {
  const scratch_folder in;
  ASSERT_EQ(dwell_cli({"cg", "trefethen:500", "--rtol", "1e-10", "-o", in("x.mtx")}).code, 0);
  const auto r = dwell_cli({"cg", "trefethen:500", "--rtol", "1e-8", "--x0", in("x.mtx"), "-o",
                            in("x.mtx"), "--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("iterations"), 0);
  EXPECT_EQ(r.json().at("start"), in("x.mtx"));
}

TEST(cli_cg, breakdown_is_3) {
  const scratch_folder in;
  const auto a = indefinite(in);
  const auto r = dwell_cli({"cg", a, "--rhs", in("minus.mtx"), "-o", in("x.mtx"), "--json", "-"});
  EXPECT_EQ(r.code, 3);
  EXPECT_EQ(r.json().at("stop_reason"), "breakdown");
  EXPECT_TRUE(holds(r.err, "not positive definite"));
  EXPECT_EQ(read_matrix_market_vector(in("x.mtx")).size(), 2u);
}

TEST(cli_cg, refused_matrices_are_1_and_write_nothing) {
  const scratch_folder in;
  const std::string head = "%%MatrixMarket matrix coordinate real general\n";
  const auto files = strings{in.write("wide.mtx", head + "2 3 2\n1 1 1\n2 2 1\n"),
                             in.write("unsymmetric.mtx", head + "2 2 3\n1 1 1\n2 2 1\n1 2 5\n"),
                             in.write("negative.mtx", head + "2 2 2\n1 1 1\n2 2 -1\n"),
                             in.write("missing.mtx", head + "2 2 1\n1 1 1\n")};
  for (const auto& file : files) {
    const auto r = dwell_cli({"cg", file, "-o", in("x.mtx")});
    EXPECT_EQ(r.code, 1) << file;
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_EQ(r.out, "");
  }
  EXPECT_EQ(in.files().size(), files.size());
  EXPECT_EQ(dwell_cli({"cg", files[1], "--assume-symmetric", "--max-iterations", "1"}).code, 2);
}

TEST(cli_cg, executors_agree) {
  std::string answers[2];
  const scratch_folder in;
  for (const auto* executor : {"host-loop", "persistent"}) {
    const auto r = dwell_cli({"cg", "trefethen:500", "--device", "cpu", "--threads", "2",
                              "--executor", executor, "-o", in("x.mtx"), "-q"});
    EXPECT_EQ(r.code, 0) << r.err;
    auto text = read_text(in("x.mtx"));
    answers[executor == std::string("persistent")] = text.substr(text.rfind('%'));
  }
  EXPECT_EQ(answers[0], answers[1]) << "the same partition gives the same bits";
}

}  // namespace
}  // namespace dwell::test
