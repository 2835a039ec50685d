// SPDX-License-Identifier: MIT
// Outputs on standard output, under each of its names and be it a file: every byte of them, and
// nothing else. Two outputs never meet in one place.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "cli_runner.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/version.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

const strings names = {"-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"};
const strings small_solve = {"cg", "trefethen:50", "--device", "cpu", "--threads", "1"};
const strings small_field = {"stencil", "2d5pt",     "--size", "9x9",     "--device",
                             "cpu",     "--threads", "1",      "--steps", "2"};

strings and_also(strings args, const strings& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// What is in a file to which standard output was sent, after a line that was there before.
struct captured : cli_outcome {
  captured(const scratch_folder& in, const strings& args, const std::string& name = "out")
      : cli_outcome(dwell_cli(args, {.stdout_to = in.write(name, "")})), text(read_text(in(name))) {
    std::filesystem::copy_file(in(name),
                               in("copy" + std::filesystem::path(name).extension().string()),
                               std::filesystem::copy_options::overwrite_existing);
  }
  std::string text;
};

TEST(cli_standard_output, an_answer_is_whole_and_alone) {
  const scratch_folder in;
  for (const auto& name : names) {
    const captured r(in, and_also(small_solve, {"-o", name}), "x.mtx");
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(starts(r.text, "%%MatrixMarket matrix array real general\n% x of A x = b"));
    EXPECT_EQ(read_vector(in("copy.mtx")).size(), 50u) << name;
    EXPECT_TRUE(starts(r.err, "dwell " DWELL_VERSION_STRING ": conjugate gradients\n"));
    EXPECT_TRUE(holds(r.err, "converged after"));
  }
  const auto piped = dwell_cli(and_also(small_solve, {"-o", "-", "-q"}));
  EXPECT_EQ(piped.err, "");
  EXPECT_EQ(lines_of(piped.out).back(), lines_of(read_text(in("copy.mtx"))).back());
}

TEST(cli_standard_output, a_history_a_report_a_matrix_and_a_field_too) {
  const scratch_folder in;
  for (const auto& name : names) {
    const captured history(in, and_also(small_solve, {"--history", name}));
    EXPECT_TRUE(starts(history.text, "iteration,residual_norm,relative_residual\n0,"));
    EXPECT_FALSE(holds(history.text, "dwell"));
    EXPECT_TRUE(holds(history.err, "converged after"));
    for (const auto& run : {small_solve, small_field}) {
      const captured report(in, and_also(run, {"--json", name}));
      EXPECT_TRUE(nlohmann::json::accept(report.text)) << report.text;
      EXPECT_EQ(report.err, "");
    }
    const captured matrix(in, {"generate", "trefethen:50", "-o", name}, "a.mtx");
    EXPECT_EQ(read_matrix_market(in("copy.mtx")).matrix.rows, 50) << name;
    EXPECT_TRUE(holds(matrix.err, "50 x 50, 524 nonzeros, lower triangle\n"));
    const captured u(in, and_also(small_field, {"-o", name}), "u.npy");
    EXPECT_EQ(read_npy<double>(in("copy.npy")).size(), extents(9, 9)) << name;
    EXPECT_TRUE(holds(u.err, "2 steps done"));
    const captured compared(
        in, {"compare", "stencil", "2d5pt", "--size", "9x9", "--steps", "2", "--repetitions", "1",
             "--device", "cpu", "--threads", "1", "--format", "json", "-o", name});
    EXPECT_TRUE(nlohmann::json::accept(compared.text)) << compared.text;
    for (const strings& about : {strings{"info"},
                                 {"info", "trefethen:20"},
                                 {"explain", "cg", "trefethen:20", "--device", "cpu"}}) {
      const captured facts(in, and_also(about, {"--json", name}));
      EXPECT_TRUE(nlohmann::json::accept(facts.text)) << facts.text;
    }
  }
}

// The shell has opened it under the name that the option has, or under another one.
TEST(cli_standard_output, may_be_named_as_a_file) {
  const scratch_folder in;
  in.write("x.npy", ""), in.write("x.mtx", "");
  std::filesystem::create_hard_link(in("x.npy"), in("hard.npy"));
  for (const char* name : {"x.npy", "hard.npy"}) {
    const auto r = dwell_cli(and_also(small_solve, {"-o", in(name)}), {.stdout_to = in("x.npy")});
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(read_vector(in("x.npy")).size(), 50u) << name;
    EXPECT_TRUE(holds(r.err, "converged after"));
  }
  const auto r = dwell_cli(and_also(small_solve, {"-o", "/dev/stdout", "--history", in("x.mtx")}),
                           {.stdout_to = in("x.mtx")});
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(holds(r.err, "than standard output, which --output takes\n"));
  EXPECT_EQ(dwell_cli(and_also(small_solve, {"-o", "/dev/null"}), {.stdout_to = "/dev/null"}).err,
            "")
      << "where nothing is kept nothing can be lost";
}

TEST(cli_standard_output, has_room_for_one) {
  const scratch_folder in;
  for (const auto& one : names)
    for (const auto& other : {"-", "/dev/fd/1"}) {
      expect_refused(and_also(small_solve, {"-o", one, "--history", other}),
                     "dwell: --history: expected another place than standard output, which "
                     "--output takes\n");
      expect_refused(and_also(small_solve, {"--history", one, "--json", other}),
                     "--json: expected another");
      expect_refused(and_also(small_field, {"-o", one, "--json", other}),
                     "--json: expected another");
    }
}

TEST(cli_standard_output, a_reader_that_leaves_is_no_error_and_a_full_disk_is) {
  for (const strings& run : {and_also(small_solve, {"-o", "-"}),
                             and_also(small_solve, {"--history", "-"}),
                             and_also(small_solve, {"--json", "-"}),
                             and_also(small_field, {"-o", "-"}),
                             and_also(small_field, {"--json", "-"}),
                             strings{"generate", "poisson2d:300x300", "-o", "-"},
                             {"info", "--json", "-"}}) {
    SCOPED_TRACE(testing::PrintToString(run));
    EXPECT_EQ(dwell_cli(run, {.stdout_to = "gone"}).code, 0);
    for (const char* where : {"/dev/full", "closed"}) {
      const auto r = dwell_cli(run, {.stdout_to = where});
      EXPECT_EQ(r.code, 1) << where;
      const auto lines = lines_of(r.err);
      EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                              [](const auto& line) { return line.starts_with("dwell: "); }),
                1)
          << r.err;
    }
  }
}

TEST(cli_standard_output, every_output_is_missed_where_there_is_no_room) {
  const strings outputs[] = {and_also(small_solve, {"-q", "-o", "/dev/full"}),
                             and_also(small_solve, {"-q", "--history", "/dev/full"}),
                             and_also(small_solve, {"-q", "--json", "/dev/full"}),
                             and_also(small_field, {"-q", "-o", "/dev/full"}),
                             and_also(small_field, {"-q", "--json", "/dev/full"}),
                             {"generate", "trefethen:50", "-o", "/dev/full"}};
  for (const auto& run : outputs)
    expect_refused(run, "/dev/full: expected a writable file, found: No space left on device\n");
  for (const strings& about :
       {strings{"info"},
        {"explain", "cg", "trefethen:20", "--device", "cpu"},
        {"explain", "stencil", "2d5pt", "--size", "9x9", "--device", "cpu"}}) {
    const auto r = dwell_cli(and_also(about, {"--json", "/dev/full"}));
    EXPECT_EQ(r.code, 1);
    EXPECT_TRUE(holds(r.err, "No space left on device\n"));
  }
}

TEST(cli_outputs, spellings_of_a_file_that_is_not_there_are_one_file) {
  const scratch_folder in;
  std::filesystem::create_directory(in("d"));
  std::filesystem::create_symlink("z.mtx", in("link.mtx"));
  const auto here = std::filesystem::current_path();
  std::filesystem::current_path(in(""));
  const auto before = in.files();
  for (const auto& other :
       {std::string("./z.mtx"), std::string("d/../z.mtx"), in("z.mtx"), std::string("link.mtx")}) {
    expect_refused(and_also(small_solve, {"-o", "z.mtx", "--history", other}),
                   "--history: cannot write '" + other + "': it is also the file of --output\n");
    expect_refused(and_also(small_solve, {"-o", other, "--json", "z.mtx"}),
                   "--json: cannot write 'z.mtx': it is also the file of --output\n");
  }
  std::filesystem::current_path(here);
  EXPECT_EQ(in.files(), before);
}

}  // namespace
}  // namespace dwell::test
