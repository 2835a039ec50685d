// SPDX-License-Identifier: MIT
// What a person at a terminal meets: the progress line, the time it says is left, and Ctrl-C at
// every moment.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <cmath>

#include "cli/progress.hpp"
#include "cli_runner.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "report/units.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// Iterates for minutes: its residual has to fall by 200 orders of magnitude.
const strings endless = {"cg",     "poisson2d:600x600", "--device", "cpu", "--rtol",
                         "1e-200", "--max-iterations",  "1000000"};

strings with(strings args, const strings& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::function<bool(const std::string&)> shows(const std::string& part) {
  return [part](const std::string& err) { return err.find(part) != std::string::npos; };
}

TEST(cli_terminal, interrupt_while_solving_keeps_the_partial_answer) {
  for (const int number : {SIGINT, SIGTERM}) {
    const scratch_folder in;
    const auto r =
        dwell_cli(with(endless, {"-o", in("x.mtx"), "--history", in("h.csv"), "--json", "-"}),
                  {.terminal = true, .signal_when = shows("iteration "), .signal = number});
    EXPECT_EQ(r.code, 130);
    const auto j = r.json();
    EXPECT_EQ(j.at("stop_reason"), "interrupted");
    EXPECT_GT(j.at("iterations"), 0);
    EXPECT_LT(j.at("residual").at("relative_true").get<double>(), 10);
    EXPECT_EQ(in.files(), (strings{"h.csv", "x.mtx"}));
    EXPECT_EQ(read_matrix_market_vector(in("x.mtx")).size(), 360000u);
    EXPECT_EQ(lines_of(read_text(in("h.csv"))).size(), j.at("iterations").get<std::size_t>() + 2);
    EXPECT_TRUE(holds(r.err, "INTERRUPTED after"));
  }
}

TEST(cli_terminal, interrupt_under_every_executor) {
  for (const auto* executor : {"host-loop", "persistent"}) {
    const auto r =
        dwell_cli(with(endless, {"--executor", executor, "--threads", "2"}),
                  {.terminal = true, .signal_when = shows("iteration "), .signal = SIGINT});
    EXPECT_EQ(r.code, 130) << executor;
    EXPECT_TRUE(holds(r.out, "INTERRUPTED after")) << executor;
  }
}

// A pipe that nobody writes to is a file that takes for ever to read.
TEST(cli_terminal, interrupt_while_reading_ends_at_once) {
#if defined(DWELL_SANITIZED_THREADS)
  GTEST_SKIP() << "ThreadSanitizer holds signals back while a call blocks, and this one never ends";
#endif
  const scratch_folder in;
  ASSERT_EQ(::mkfifo(in("a.mtx").c_str(), 0600), 0);
  const auto r = dwell_cli({"cg", in("a.mtx"), "-o", in("x.mtx")},
                           {.terminal = true, .signal_when = shows("reading"), .signal = SIGINT});
  EXPECT_EQ(r.code, 130);
  EXPECT_EQ(r.out, "");
  EXPECT_TRUE(ends(r.err, "\r\033[Kdwell: interrupted\r\n")) << "the progress line is erased";
  EXPECT_EQ(in.files(), strings{"a.mtx"});
}

TEST(cli_terminal, interrupt_while_writing_leaves_nothing_behind) {
  const scratch_folder in;
  const auto begun = [&](const std::string&) { return !in.files().empty(); };
  const auto r = dwell_cli({"generate", "poisson2d:1500x1500", "-o", in("a.mtx.gz")},
                           {.signal_when = begun, .signal = SIGINT});
  EXPECT_EQ(r.code, 130);
  EXPECT_EQ(r.err, "dwell: interrupted\n");
  EXPECT_EQ(in.files(), strings{});
}

TEST(cli_terminal, progress_is_shown_and_erased) {
  const auto r = dwell_cli(
      {"cg", "poisson2d:500x500", "--device", "cpu", "--rtol", "1e-200", "--max-iterations", "400"},
      {.terminal = true});
  EXPECT_EQ(r.code, 2);
  for (const auto* part :
       {"reading poisson2d:500x500", "iteration ", "residual ", "iterations/s", " left"})
    EXPECT_TRUE(holds(r.err, part));
  const auto last = r.err.rfind("\r\033[K");
  ASSERT_NE(last, std::string::npos);
  EXPECT_TRUE(starts(r.err.substr(last), "\r\033[Kdwell: NOT converged"));
  EXPECT_FALSE(holds(r.out, "\r"));
  std::size_t start = 0;
  for (auto at = r.err.find("\r\033[K"); at != last; at = r.err.find("\r\033[K", start)) {
    start = at + 4;
    EXPECT_LE(r.err.find("\r\033[K", start) - start, 99u) << "does not wrap";
  }
}

TEST(cli_terminal, steps_are_counted_to_their_number_or_a_limit) {
  stencil_options o;
  o.steps = 5000;
  EXPECT_EQ(app::describe({1000, {}, 2}, o),
            "step 1,000 of 5,000   500 steps/s   about 8.00 s left");
  EXPECT_EQ(app::describe({0, {}, 0}, o), "step 0 of 5,000   0 steps/s   about ? left");
  o.until = 1e-8;
  EXPECT_EQ(app::describe({1000, 3.21e-5, 2}, o),
            "step 1,000   change 3.21e-05, to reach 1.00e-08   500 steps/s   at most 8.00 s left");
  EXPECT_EQ(app::describe({1000, {}, 2}, o), "step 1,000   500 steps/s   at most 8.00 s left");
}

TEST(cli_terminal, quiet_shows_no_progress) {
  const auto r = dwell_cli({"cg", "poisson2d:300x300", "-q"}, {.terminal = true});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.err, "");
}

TEST(forecast, a_steady_fall_is_continued) {
  app::iteration_forecast f(100000);
  EXPECT_TRUE(f.left(1e-8).by_limit);
  EXPECT_EQ(f.left(1e-8).iterations, 100000);
  for (int i = 0; i <= 100; ++i) f.add(i, std::pow(10.0, -i / 50.0));  // 50 iterations a digit
  const auto left = f.left(1e-8);
  EXPECT_FALSE(left.by_limit);
  EXPECT_NEAR(left.iterations, 300, 1e-6);
}

TEST(forecast, the_limit_bounds_it) {
  app::iteration_forecast f(150);
  for (int i = 0; i <= 100; ++i) f.add(i, std::pow(10.0, -i / 50.0));
  EXPECT_TRUE(f.left(1e-8).by_limit);
  EXPECT_EQ(f.left(1e-8).iterations, 50);
  app::iteration_forecast rising(1000);
  for (int i = 0; i <= 100; ++i) rising.add(i, 1.0 + i);
  EXPECT_TRUE(rising.left(1e-8).by_limit);
  EXPECT_TRUE(rising.left(0).by_limit);
}

TEST(units, read_well) {
  EXPECT_EQ(app::format_count(0), "0");
  EXPECT_EQ(app::format_count(999), "999");
  EXPECT_EQ(app::format_count(1000), "1,000");
  EXPECT_EQ(app::format_count(-1234567), "-1,234,567");
  EXPECT_EQ(app::format_bytes(0), "0 bytes");
  EXPECT_EQ(app::format_bytes(1023), "1023 bytes");
  EXPECT_EQ(app::format_bytes(1024), "1.00 KiB");
  EXPECT_EQ(app::format_bytes(10 * 1024), "10.0 KiB");
  EXPECT_EQ(app::format_bytes(213.4 * (1 << 20)), "213 MiB");
  EXPECT_EQ(app::format_rate(18.34e9), "18.3 GB/s");
  EXPECT_EQ(app::format_rate(999.9e6), "1.00 GB/s");
  EXPECT_EQ(app::format_seconds(0), "0 ns");
  EXPECT_EQ(app::format_seconds(2.346e-5), "23.5 us");
  EXPECT_EQ(app::format_seconds(0.9999), "1.00 s");
  EXPECT_EQ(app::format_seconds(59.97), "1 min 0 s");
  EXPECT_EQ(app::format_seconds(3725), "1 h 2 min");
  EXPECT_EQ(app::format_seconds(std::nan("")), "unknown");
}

}  // namespace
}  // namespace dwell::test
