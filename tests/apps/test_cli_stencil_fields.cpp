// SPDX-License-Identifier: MIT
// `dwell stencil`: the fields that it starts from, files that are pipes, values that are not
// finite, and outputs that cannot be written.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::test {
namespace {

std::vector<std::string> by_one_thread(std::vector<std::string> more) {
  more.insert(more.begin(), "stencil");
  more.insert(more.end(), {"--device", "cpu", "--threads", "1"});
  return more;
}

/// The field that --initial makes: one step that keeps every cell.
grid<double> start_of(const std::string& shape, const std::string& size, const std::string& kind) {
  const scratch_folder in;
  auto args =
      by_one_thread({shape, "--size", size, "--initial", kind, "--steps", "1", "-q", "-o",
                     in("u.npy"), "--weights", shape == "2d5pt" ? "1,0,0,0,0" : "1,0,0,0,0,0,0"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  return read_npy<double>(in("u.npy"));
}

TEST(cli_stencil_fields, a_hot_spot_has_a_hot_middle_on_every_grid) {
  const std::pair<const char*, int> flat[] = {{"1x1", 1}, {"2x2", 4},   {"6x64", 4},  {"5x6", 2},
                                              {"7x7", 1}, {"10x10", 4}, {"20x21", 12}};
  for (const auto& [size, hot] : flat) {
    const auto u = start_of("2d5pt", size, "hot-spot");
    EXPECT_EQ(std::count(u.cells().begin(), u.cells().end(), 1.0), hot) << size;
    EXPECT_EQ(u((u.size().y - 1) / 2, (u.size().x - 1) / 2), 1) << size;
    EXPECT_EQ(u(u.size().y / 2, u.size().x / 2), 1) << size;
  }
  const auto u = start_of("3d7pt", "8x8x8", "hot-spot");
  EXPECT_EQ(std::count(u.cells().begin(), u.cells().end(), 1.0), 8);
  EXPECT_EQ(u(3, 4, 3), 1);
}

TEST(cli_stencil_fields, help_says_what_the_kinds_are) {
  const auto help = dwell_cli({"stencil", "--help"}).out;
  EXPECT_TRUE(holds(help, "its radius is a tenth"));
  EXPECT_TRUE(holds(help, "row 0 on top"));
  const auto u = start_of("2d5pt", "16x24", "checker");  // squares of 2 cells
  EXPECT_TRUE(holds(help, "0 and 1 in squares (cubes) of an eighth of the shortest side"));
  for (int y = 0; y < 16; ++y)
    for (int x = 0; x < 24; ++x) EXPECT_EQ(u(y, x), (y / 2 + x / 2) % 2);
  const auto v = start_of("2d5pt", "40x40", "random:5");
  EXPECT_TRUE(holds(help, "random:SEED  from -1 to 1"));
  const auto [least, greatest] = std::minmax_element(v.cells().begin(), v.cells().end());
  EXPECT_TRUE(*least >= -1 && *least < -0.9 && *greatest < 1 && *greatest > 0.9);
}

TEST(cli_stencil_fields, values_that_are_not_finite_are_counted_and_never_shown_as_numbers) {
  // 1e10 times 1e300 is infinite.
  const scratch_folder in;
  grid<double> u(extents(5, 5));
  u(2, 1) = 1e300, u(2, 3) = -2;
  write_npy<double>(in("u.npy"), std::as_const(u).view());
  const auto args = [&](const char* weights, std::vector<std::string> more) {
    more.insert(more.begin(), {"2d5pt", "--input", in("u.npy"), "--weights", weights});
    return by_one_thread(more);
  };
  auto r = dwell_cli(args("1e10,0,0,0,0", {"--steps", "1"}));
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(holds(r.out, "NOT FINITE in 1 cell; the others -2e+10 to 0\n"));
  EXPECT_TRUE(holds(r.err, "values NOT FINITE in 1 cell; the others -2e+10 to 0\n"));
  auto j = dwell_cli(args("1e10,0,0,0,0", {"--steps", "1", "--json", "-"})).json();
  EXPECT_EQ(j.at("nonfinite_cells"), 1);
  EXPECT_EQ(j.at("finite"), false);
  EXPECT_EQ(j.at("least"), -2e10);
  EXPECT_EQ(j.at("greatest"), 0);

  const std::vector<std::string> periodic = {"--boundary", "periodic", "--steps", "3000"};
  r = dwell_cli(args("9,9,9,9,9", periodic));
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(holds(r.out, "NOT FINITE in all cells\n"));
  j = dwell_cli(args("9,9,9,9,9", {"--boundary", "periodic", "--steps", "3000", "--json", "-"}))
          .json();
  EXPECT_EQ(j.at("nonfinite_cells"), 25);
  EXPECT_TRUE(j.at("least").is_null() && j.at("greatest").is_null());

  r = dwell_cli(
      by_one_thread({"2d5pt", "--size", "40x40", "--weights", "4,1,1,1,1", "--until", "1e-3"}));
  EXPECT_EQ(r.code, 3);
  EXPECT_TRUE(holds(r.out, "largest change not a number per step"));
  EXPECT_TRUE(holds(r.err, "largest change not a number per step, wanted 1.00e-03\n"));
}

/// A field that is all border is the same after any number of steps.
TEST(cli_stencil_fields, a_field_that_cannot_change_is_a_warning) {
  const auto run = [](const char* size, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"2d5pt", "--size", size, "-q"});
    return dwell_cli(by_one_thread(more));
  };
  for (const std::string size : {"2x9", "1x9", "9x1"}) {
    const auto r = run(size.c_str(), {"--json", "-"});
    EXPECT_EQ(r.code, 0);
    EXPECT_TRUE(starts(r.err, "dwell: warning: no cell of " + size + " changes")) << r.err;
    EXPECT_EQ(r.json().at("warnings").size(), 1u);
  }
  EXPECT_EQ(run("3x3").err, "");
  EXPECT_EQ(run("1x9", {"--steps", "0"}).err, "");
  EXPECT_EQ(run("1x9", {"--boundary", "periodic"}).err, "");
}

TEST(cli_stencil_fields, inputs_that_are_not_finite_are_named_with_their_place) {
  const scratch_folder in;
  grid<double> u(extents(5, 6));
  write_npy<double>(in("u.npy"), std::as_const(u).view());
  u(3, 4) = -std::numeric_limits<double>::quiet_NaN();
  write_npy<double>(in("nan.npy"), std::as_const(u).view());
  grid<double> v(extents(3, 4, 5));
  v(2, 1, 3) = -std::numeric_limits<double>::infinity();
  write_npy<double>(in("inf.npy"), std::as_const(v).view());
  const auto nan =
      in("nan.npy") + ": expected finite values, found nan at [3, 4] (counted from 0)\n";
  expect_refused(by_one_thread({"2d5pt", "--input", in("nan.npy")}), nan);
  expect_refused(by_one_thread({"2d5pt", "--input", in("u.npy"), "--source", in("nan.npy")}), nan);
  expect_refused(by_one_thread({"3d7pt", "--input", in("inf.npy")}),
                 "inf.npy: expected finite values, found -inf at [2, 1, 3] (counted from 0)\n");
  const auto r = dwell_cli({"compare", "stencil", "2d5pt", "--size", "5x6", "--source",
                            in("nan.npy"), "--device", "cpu"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(holds(r.err, nan));
}

TEST(cli_stencil_fields, a_pipe_is_read_once) {
  const scratch_folder in;
  grid<double> u(extents(300, 400), 0.5);
  u(7, 9) = 2;
  write_npy<double>(in("u.npy"), std::as_const(u).view());
  const cli_setting piped = {.input = read_text(in("u.npy"))};
  const auto steps = [&](const char* option, const std::string& file, const char* to,
                         const cli_setting& setting) {
    std::vector<std::string> args = {"2d5pt", "--steps", "3", "-q", option, file, "-o", in(to)};
    if (option != std::string("--input")) args.insert(args.end(), {"--size", "300x400"});
    const auto r = dwell_cli(by_one_thread(args), setting);
    EXPECT_EQ(r.code, 0) << r.err;
    return read_text(in(to));
  };
  for (const char* option : {"--input", "--source"})
    EXPECT_EQ(steps(option, "/dev/stdin", "a.npy", piped), steps(option, in("u.npy"), "b.npy", {}));
  const auto r = dwell_cli(
      {"compare",     "stencil",   "2d5pt",     "2d9pt", "--size",  "300x400", "--source",      "-",
       "--device",    "cpu",       "--threads", "1",     "--steps", "2",       "--repetitions", "1",
       "--executors", "host-loop", "--format",  "json"},
      piped);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("stencils").size(), 2u) << "read once, for both";
}

TEST(cli_stencil_fields, weights_are_read_as_people_write_them) {
  const scratch_folder in;
  const auto run = [&](const char* weights, const char* to) {
    const auto r = dwell_cli(by_one_thread(
        {"2d5pt", "--size", "9x9", "--steps", "3", "-q", "--weights", weights, "-o", in(to)}));
    EXPECT_EQ(r.code, 0) << r.err;
    return read_text(in(to));
  };
  EXPECT_EQ(run("+1, 2 ,3,\t.5,  +5e-1 ", "a.npy"), run("1,2,3,0.5,0.5", "b.npy"));
  for (const char* wrong : {"1,2,,4,5", "1,2,+-3,4,5", "1,2,++3,4,5", "1,2,3 3,4,5", "1,2,nan,4,5",
                            "1,2,1e999,4,5", "1,2, ,4,5", "1,2,+,4,5"})
    expect_refused(by_one_thread({"2d5pt", "--size", "9x9", "--weights", wrong}),
                   "--weights: expected finite numbers with commas between, found '");
}

TEST(cli_stencil_fields, an_empty_value_is_no_default) {
  for (const char* option : {"--weights", "--initial", "--input", "--source"})
    expect_refused(by_one_thread({"2d5pt", "--size", "9x9", option, ""}), ", found ''\n");
  expect_refused(by_one_thread({"2d5pt", "--size", ""}), "--size: expected rows x columns");
}

TEST(cli_stencil_fields, a_limit_on_the_size_of_files_is_an_error_like_a_full_disk) {
  const scratch_folder in;
  const auto r =
      dwell_cli(by_one_thread({"2d5pt", "--size", "200x200", "--steps", "2", "-o", in("lim.npy")}),
                {.file_size = 10 << 10});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(holds(r.err, "lim.npy: expected a writable file, found: File too large\n"));
  EXPECT_EQ(lines_of(r.err).size(), 1u);
  EXPECT_EQ(in.files(), std::vector<std::string>());
}

}  // namespace
}  // namespace dwell::test
