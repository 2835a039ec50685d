// SPDX-License-Identifier: MIT
// dwell cg --monitor and --timing: the lines of the iterations, in order and none left out, and the
// parts of the time, which sum up to the whole.
#include <gtest/gtest.h>
#include <signal.h>

#include <cmath>
#include <numeric>
#include <sstream>

#include "cli_runner.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

struct monitored {
  int iteration;
  double residual, relative;
};

/// The lines of --monitor; what else stands there fails.
std::vector<monitored> lines_in(const std::string& err) {
  std::vector<monitored> all;
  for (const auto& line : lines_of(err)) {
    if (line.starts_with("dwell: ")) continue;
    monitored m = {};
    const int read = std::sscanf(line.c_str(), "%d  ||r|| %lf  ||r||/||b|| %lf", &m.iteration,
                                 &m.residual, &m.relative);
    EXPECT_EQ(read, 3) << line;
    all.push_back(m);
  }
  return all;
}

strings cg(strings more) {
  strings args = {"cg",       "trefethen:200", "--preconditioner", "none",
                  "--device", "cpu",           "--threads",        "2"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

TEST(cli_monitor, every_iteration_once_and_in_order_under_every_executor) {
  const scratch_folder in;
  for (const char* executor : {"host-loop", "persistent", "perks"}) {
    const auto r = dwell_cli(
        cg({"--monitor", "--executor", executor, "--json", "-", "--history", in("h.csv")}));
    ASSERT_EQ(r.code, 0) << r.err;
    const int iterations = r.json().at("iterations");  // standard output is the report alone
    const auto lines = lines_in(r.err);
    ASSERT_EQ(lines.size(), static_cast<std::size_t>(iterations) + 1) << executor;
    const auto history = lines_of(read_text(in("h.csv")));
    ASSERT_EQ(history.size(), lines.size() + 1);
    for (std::size_t i = 0; i < lines.size(); ++i) {
      EXPECT_EQ(lines[i].iteration, static_cast<int>(i));
      double residual = 0, relative = 0;
      ASSERT_EQ(std::sscanf(history[i + 1].c_str(), "%*d,%lf,%lf", &residual, &relative), 2);
      EXPECT_NEAR(lines[i].residual, residual, 1e-11 * residual);
      EXPECT_NEAR(lines[i].relative, relative, 1e-11 * relative);
    }
  }
}

TEST(cli_monitor, every_kth_and_the_last) {
  const auto r = dwell_cli(cg({"--monitor=7", "--max-iterations", "16", "-q"}));
  EXPECT_EQ(r.code, 2) << "not converged";
  EXPECT_EQ(r.out, "");
  std::vector<int> found;
  for (const auto& m : lines_in(r.err)) found.push_back(m.iteration);
  EXPECT_EQ(found, (std::vector<int>{0, 7, 14, 16}));
  const auto large = lines_in(dwell_cli(cg({"--monitor=1000000", "-q"})).err);
  ASSERT_EQ(large.size(), 2u);
  EXPECT_EQ(large[0].iteration, 0);
  EXPECT_LE(large[1].relative, 1e-8);
}

TEST(cli_monitor, an_interrupt_ends_it_with_the_lines_so_far) {
  const auto r = dwell_cli(
      {"cg", "poisson2d:400x400", "--device", "cpu", "--threads", "1", "--rtol", "0",
       "--max-iterations", "2000000", "--monitor", "-q"},
      {.signal_when = [](const std::string& err) { return err.find("\n     20 ") != err.npos; },
       .signal = SIGINT});
  EXPECT_EQ(r.code, 130) << r.err.substr(0, 1000);
  const auto lines = lines_in(r.err);
  ASSERT_GT(lines.size(), 20u);
  for (std::size_t i = 0; i < lines.size(); ++i) ASSERT_EQ(lines[i].iteration, static_cast<int>(i));
}

TEST(cli_monitor, on_a_terminal_there_is_no_progress_line_between) {
  const auto r = dwell_cli(cg({"--monitor", "-q"}), {.terminal = true});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err.find("\033"), std::string::npos);
}

TEST(cli_monitor, wrong_values) {
  for (const char* value : {"0", "-1", "x", "1.5", "2147483648"})
    expect_refused(cg({std::string("--monitor=") + value}),
                   "--monitor: expected a whole number from 1");
  expect_refused(cg({"--monitor", "5"}), "expected no more arguments, found '5'");
}

TEST(cli_timing, the_parts_sum_up_to_the_total) {
  const auto r = dwell_cli(cg({"--timing"}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto begin = r.out.find("\nphase ");
  ASSERT_NE(begin, std::string::npos) << r.out;
  std::istringstream lines(r.out.substr(begin + 1));
  std::string line;
  std::getline(lines, line), std::getline(lines, line);  // heads, rule
  strings names;
  long long sum = 0, last = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, seconds, share, sign;
    ASSERT_TRUE(words >> name >> seconds >> share >> sign) << line;
    EXPECT_EQ(sign, "%");
    names.push_back(name);
    sum += last;
    last = std::llround(std::stod(seconds) * 1e6);
  }
  EXPECT_EQ(names, (strings{"generate", "check", "upload", "plan", "cut", "preconditioner",
                            "analyse", "factor", "compile", "load", "vectors", "solve", "finish",
                            "write", "other", "total"}));
  EXPECT_EQ(sum, last) << "in microseconds, exactly";
  EXPECT_GT(last, 0);
  EXPECT_EQ(dwell_cli(cg({})).out.find("\nphase "), std::string::npos);
}

TEST(cli_timing, of_a_stencil_sums_up_to_the_total) {
  const scratch_folder in;
  const strings run = {"stencil", "2d5pt",    "--size", "99x99", "--steps",
                       "7",       "--device", "cpu",    "-o",    in("u.npy")};
  auto args = run;
  args.push_back("--timing");
  const auto r = dwell_cli(args);
  ASSERT_EQ(r.code, 0) << r.err;
  const auto begin = r.out.find("\nphase ");
  ASSERT_NE(begin, std::string::npos) << r.out;
  std::istringstream lines(r.out.substr(begin + 1));
  std::string line;
  std::getline(lines, line), std::getline(lines, line);
  strings names;
  long long sum = 0, last = 0;
  while (std::getline(lines, line)) {
    std::istringstream words(line);
    std::string name, seconds;
    ASSERT_TRUE(words >> name >> seconds) << line;
    names.push_back(name);
    sum += last;
    last = std::llround(std::stod(seconds) * 1e6);
  }
  EXPECT_EQ(names, (strings{"read", "check", "plan", "compile", "load", "upload", "run", "write",
                            "other", "total"}));
  EXPECT_EQ(sum, last) << "in microseconds, exactly";
  args = run;
  args.insert(args.end(), {"--json", "-"});
  const auto j = report_of(args).at("time");
  double all = 0;
  for (const auto* part : {"read_s", "solve_s", "write_s", "other_s"})
    all += j.at(part).get<double>();
  for (const auto& [name, seconds] : j.at("setup").items()) all += seconds.get<double>();
  EXPECT_NEAR(all, j.at("total_s").get<double>(), 1e-9);
  EXPECT_GT(j.at("write_s").get<double>(), 0);
}

TEST(cli_timing, json_has_the_same_parts) {
  const scratch_folder in;
  const auto j = dwell_cli(cg({"--json", "-", "-o", in("x.mtx")})).json().at("time");
  double sum = 0;
  for (const auto* part : {"read_s", "solve_s", "finish_s", "write_s", "other_s"})
    sum += j.at(part).get<double>();
  double setup = 0;
  for (const auto& [name, seconds] : j.at("setup").items()) setup += seconds.get<double>();
  EXPECT_NEAR(setup, j.at("setup_s").get<double>(), 1e-9);
  EXPECT_NEAR(sum + setup, j.at("total_s").get<double>(), 1e-9);
  EXPECT_GT(j.at("write_s").get<double>(), 0);
}

}  // namespace
}  // namespace dwell::test
