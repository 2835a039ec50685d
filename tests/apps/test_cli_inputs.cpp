// SPDX-License-Identifier: MIT
// Inputs from standard input, vectors by the ending of their names, an archive with a companion
// that cannot be read, and names that would break a message.
#include <gtest/gtest.h>

#include <fstream>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

const strings system_50 = {"cg", "trefethen:50", "--device", "cpu", "--threads",
                           "1",  "--json",       "-"};

strings extended(strings args, const strings& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

std::string archive(const std::string& name) {
  return DWELL_TEST_DATA "/valid/" + name + ".tar.gz";
}

TEST(cli_inputs, a_matrix_from_standard_input) {
  const scratch_folder in;
  for (const char* name : {"a.mtx", "a.mtx.gz"}) {
    ASSERT_EQ(dwell_cli({"generate", "trefethen:50", "-q", "-o", in(name)}).code, 0);
    const cli_setting piped = {.input = read_text(in(name))};
    const strings whole[] = {{"info", "-"},
                             {"cg", "-", "--device", "cpu", "--threads", "1"},
                             {"explain", "cg", "-", "--device", "cpu"}};
    for (auto args : whole) {
      args.insert(args.end(), {"--json", "-"});
      const auto r = dwell_cli(args, piped);
      ASSERT_EQ(r.code, 0) << r.err;
      EXPECT_EQ(r.json().at("matrix").at("rows"), 50);
      EXPECT_EQ(r.json().at("matrix").at("name"), "stdin");
    }
    const auto compared =
        dwell_cli({"compare", "cg", "-", "--device", "cpu", "--threads", "1", "--no-peers",
                   "--iterations", "2", "--repetitions", "1", "--format", "json"},
                  piped);
    EXPECT_EQ(compared.code, 0) << compared.err;
    EXPECT_EQ(compared.json().at("matrices").at(0).at("rows"), 50);
  }
  const auto r = dwell_cli({"cg", "-"}, {.input = "no matrix\n"});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(starts(r.err, "dwell: /dev/stdin:1: expected ")) << r.err;
}

/// An archive's matrix has the name of the file, which a pipe has not.
TEST(cli_inputs, an_archive_from_standard_input) {
  const cli_setting piped = {.input = read_text(archive("with_companion"))};
  const auto j = dwell_cli({"info", "-", "--json", "-"}, piped).json().at("matrix");
  EXPECT_EQ(j.at("name"), "with_companion");
  EXPECT_EQ(j.at("companion"), true);
}

TEST(cli_inputs, vectors_from_files_and_from_standard_input) {
  const scratch_folder in;
  ASSERT_EQ(dwell_cli(extended(system_50, {"-o", in("x.mtx")})).code, 0);
  const auto x = read_vector(in("x.mtx"));
  write_vector(in("x.npy"), x), write_vector(in("x.mtx.gz"), x);
  for (const char* name : {"x.mtx", "x.mtx.gz", "x.npy"}) {
    const auto start = dwell_cli(extended(system_50, {"--x0", in(name)}));
    EXPECT_EQ(start.json().at("iterations"), 0) << name << ": it starts where it ended";
    const auto rhs = dwell_cli(extended(system_50, {"--rhs", in(name), "-o", in("y.npy")}));
    EXPECT_EQ(rhs.code, 0) << rhs.err;
    const auto y = read_text(in("y.npy"));
    const auto piped = dwell_cli(extended(system_50, {"--rhs", "-", "-o", in("z.npy")}),
                                 {.input = read_text(in(name))});
    EXPECT_EQ(piped.code, 0) << piped.err;
    EXPECT_EQ(read_text(in("z.npy")), y) << name;
    EXPECT_EQ(dwell_cli(extended(system_50, {"--x0", "-"}), {.input = read_text(in(name))})
                  .json()
                  .at("iterations"),
              0);
  }
  EXPECT_EQ(read_vector(in("y.npy")).size(), 50u);
  for (const char* option : {"--rhs", "--x0"})
    expect_refused({"cg", "trefethen:60", option, in("x.npy")},
                   "x.npy: expected 60 values for the ");
}

// Bodies that cannot be read show that nobody has.
TEST(cli_inputs, sizes_that_do_not_fit_are_refused_by_the_heads) {
  const scratch_folder in;
  const auto head = [](const std::string& kind, const std::string& sizes) {
    return "%%MatrixMarket matrix " + kind + " general\n%\n" + sizes + "\nno number\n";
  };
  const auto a = in.write("a.mtx", head("coordinate real", "4 4 4"));
  const auto wide = in.write("wide.mtx", head("coordinate real", "4 5 4"));
  const auto z = in.write("z.mtx", head("coordinate complex", "4 4 4"));
  const auto few = in.write("few.mtx", head("array real", "3 1"));
  const auto two = in.write("two.mtx", head("array real", "4 2"));
  const auto six = in.write("six.mtx", head("array real", "6 2"));
  const auto none = in.write("none.mtx", head("array real", "0 2"));
  expect_refused({"solve", wide}, "wide.mtx:3: expected as many rows as columns, found 4 x 5\n");
  for (const auto& matrix : {a, z})
    for (const char* option : {"--rhs", "--x0"}) {
      const std::string what = option == std::string("--rhs") ? "right-hand side" : "start vector";
      expect_refused({"solve", matrix, option, few}, "few.mtx:3: expected 4 values for the " +
                                                         what + ", one per row of " +
                                                         (matrix == a ? "a" : "z") + ", found 3\n");
      expect_refused({"solve", matrix, option, two},
                     "two.mtx:3: expected a vector (one column or one row) for the " + what +
                         ", found 4 rows and 2 columns\n");
    }
  expect_refused({"solve", a, "--null-vectors", few},
                 "few.mtx:3: expected 4 rows of null vectors, one per row of a, found 3\n");
  expect_refused({"solve", a, "--preconditioner", "amg", "--near-null", six},
                 "six.mtx:3: expected 4 rows of near-null vectors, one per row of a, found 6\n");
  expect_refused({"solve", a, "--preconditioner", "amg", "--coordinates", six},
                 "six.mtx:3: expected 2 or 3 coordinates a node and as many rows of a ");
  for (const char* what : {"cg", "solve"}) {
    const auto r = dwell_cli({"compare", what, wide, "--no-peers", "--format", "json"});
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.err, "dwell: wide: matrix: expected as many rows as columns, found 4 x 5\n");
    const auto misfit =
        dwell_cli({"compare", what, a, "--no-peers", "--format", "json",
                   what == std::string("cg") ? "--preconditioner" : "--preconditioners", "amg",
                   "--near-null", six});
    EXPECT_EQ(misfit.code, 1);
    EXPECT_TRUE(holds(misfit.err, "six.mtx:3: expected 4 rows of near-null vectors")) << misfit.err;
    const auto no_nodes =
        dwell_cli({"compare", what, a, "--no-peers", "--format", "json",
                   what == std::string("cg") ? "--preconditioner" : "--preconditioners", "amg",
                   "--coordinates", none});
    EXPECT_EQ(no_nodes.code, 1);
    EXPECT_TRUE(holds(no_nodes.err, "none.mtx:3: expected 2 or 3 coordinates a node"))
        << no_nodes.err;
  }
}

TEST(cli_inputs, a_matrix_that_cannot_be_read_does_not_end_a_comparison) {
  const scratch_folder in;
  const auto bad =
      in.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 1\nno\n");
  for (const char* what : {"cg", "solve"}) {
    const auto r = dwell_cli({"compare", what, "poisson2d:5x5", bad, "poisson2d:6x5", "--no-peers",
                              "--repetitions", "1", "--format", "json"});
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    EXPECT_TRUE(holds(r.err, "bad.mtx:3: expected a row from 1 to 2, found 'no'")) << r.err;
    const auto matrices = r.json().at("matrices");
    ASSERT_EQ(matrices.size(), 3u);
    EXPECT_GT(matrices.at(0).at("runs").size(), 0u);
    EXPECT_EQ(matrices.at(1).at("runs").size(), 0u);
    EXPECT_GT(matrices.at(2).at("runs").size(), 0u);
    // A head that cannot be is told before anything runs.
    const auto no_head = in.write("none.mtx", "%%MatrixMarket matrix coordinate real general\n");
    const auto at_once = dwell_cli({"compare", what, "poisson2d:5x5", no_head, "--format", "json"});
    EXPECT_EQ(at_once.code, 1);
    EXPECT_TRUE(at_once.out.empty()) << at_once.out;
  }
}

TEST(cli_inputs, a_vector_of_another_ending_is_refused) {
  const scratch_folder in;
  for (const char* name : {"x.txt", "x", "x.gz", "x.npz"}) {
    expect_refused({"cg", "trefethen:50", "-o", in(name)},
                   "--output: expected a name that ends in .mtx, .mtx.gz or .npy, found '");
    in.write(name, "%%MatrixMarket matrix array real general\n1 1\n1\n");
    for (const char* option : {"--rhs", "--x0"})
      expect_refused({"cg", "trefethen:50", option, in(name)},
                     ": expected a name that ends in .mtx, .mtx.gz or .npy, found another\n");
    expect_refused({"generate", "trefethen:50", "-o", in(name)},
                   "--output: expected a name that ends in .mtx, .mtx.gz or .dwell, found '");
  }
}

TEST(cli_inputs, standard_input_has_one_reader) {
  expect_refused({"cg", "-", "--rhs", "-"},
                 "--rhs: '/dev/stdin' can be read once, and MATRIX reads it\n");
  expect_refused({"cg", "-", "--x0", "/dev/fd/0"},
                 "--x0: '/dev/fd/0' can be read once, and MATRIX");
  expect_refused({"cg", "trefethen:9", "--rhs", "-", "--x0", "-"}, "--rhs reads it\n");
  expect_refused({"compare", "cg", "-", "trefethen:9", "-"}, "can be read once");
  expect_refused({"stencil", "2d5pt", "--input", "-", "--source", "-"}, "--input reads it\n");
}

TEST(cli_inputs, a_field_and_a_source_from_standard_input) {
  const scratch_folder in;
  grid<double> u(extents(30, 40), 0.5);
  u(7, 9) = 2;
  write_npy<double>(in("u.npy"), std::as_const(u).view());
  const strings base = {"stencil", "2d5pt",   "--device", "cpu", "--threads",
                        "1",       "--steps", "3",        "-q"};
  const cli_setting piped = {.input = read_text(in("u.npy"))};
  const strings options[] = {{"--input"}, {"--size", "30x40", "--source"}};
  for (const auto& option : options) {
    const auto from_file = dwell_cli(extended(extended(base, option), {in("u.npy"), "-o", "-"}));
    const auto from_pipe = dwell_cli(extended(extended(base, option), {"-", "-o", "-"}), piped);
    EXPECT_EQ(from_pipe.code, 0) << from_pipe.err;
    EXPECT_EQ(from_pipe.out, from_file.out);
    EXPECT_TRUE(starts(from_pipe.out, "\x93NUMPY"));
  }
  const auto r = dwell_cli(
      {"explain", "stencil", "2d5pt", "--size", "30x40", "--source", "-", "--device", "cpu"},
      piped);
  EXPECT_EQ(r.code, 0) << r.err;
}

TEST(cli_inputs, a_companion_that_cannot_be_read_is_told_to_who_asks) {
  const auto file = archive("companion_broken");
  const std::string why =
      file + "(companion_broken/companion_broken_b.mtx):4: expected a real value, found 'x'";
  const auto text = dwell_cli({"info", file});
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_TRUE(holds(text.out, "companion    cannot be read: " + why));
  const auto j = dwell_cli({"info", file, "--json", "-"}).json().at("matrix");
  EXPECT_EQ(j.at("companion"), false);
  EXPECT_EQ(j.at("companion_refusal"), why);
  EXPECT_EQ(dwell_cli({"cg", file, "--device", "cpu", "-q"}).code, 0);
  expect_refused({"cg", file, "--rhs", "companion"}, "dwell: --rhs companion: " + why);
}

TEST(cli_inputs, names_cannot_break_a_line_or_reach_the_terminal) {
  const scratch_folder in;
  const std::string evil = in("a\nb\x1b[31m\r.mtx"), shown = "a\\nb\\x1b[31m\\r";
  in.write("a\nb\x1b[31m\r.mtx", two_by_two(4, 1, 3));
  const strings runs[] = {
      {"info", evil},
      {"cg", evil, "--rhs", evil},
      {"cg", evil, "-o", evil + ".npy", "--history", evil + ".csv"},
      {"cg", evil, "-o", evil},
      {"cg", evil, "--device", evil},
      {"cg", evil + "none"},
      {"cg", "trefethen:2", "--x0", evil + ".npy.mtx"},
      {"cg", "trefethen:2", "--json", evil + "/x"},
      {"explain", "cg", evil, "--device", "cpu"},
      {"compare", "cg", evil, "--no-peers", "--iterations", "2", "--repetitions", "1"},
      {"compare", "cg", evil, "--no-peers", "--iterations", "2", "--format", "csv"},
      {"compare", "cg", evil, "--no-peers", "--iterations", "2", "--format", "markdown"},
      {"generate", "trefethen:9", "-o", evil},
      {"generate", evil, "-o", in("x.mtx")},
      {"stencil", "2d5pt", "--input", evil},
      {"stencil", "2d5pt", "--size", "9x9", "-o", evil + ".npy"},
      {"stencil", evil, "--size", "9x9"},
      {evil},
  };
  for (const auto& run : runs) {
    const auto r = dwell_cli(run);
    const auto all = r.out + r.err;
    EXPECT_EQ(all.find_first_of("\x1b\r"), std::string::npos) << testing::PrintToString(all);
    EXPECT_EQ(all.find("a\nb"), std::string::npos) << testing::PrintToString(all);
    if (r.code == 1) {
      EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
    }
    if (run.size() > 1) {
      EXPECT_TRUE(holds(all, shown));
    }
  }
  const auto progress = dwell_cli({"cg", evil}, {.terminal = true});
  EXPECT_TRUE(holds(progress.err, "reading "));
  EXPECT_EQ(progress.err.find("\x1b[31m"), std::string::npos);
}

}  // namespace
}  // namespace dwell::test
