// SPDX-License-Identifier: MIT
// Outputs that cannot be written once the run is done: they cost nothing else of it. And a field
// that goes on in its own file.
#include <gtest/gtest.h>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

strings small_run(const strings& more) {
  strings args = {"stencil", "2d5pt", "--device", "cpu", "--threads", "1"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// A name that passes for a file's, of a device that has no room: known only when it is written.
std::string full(const scratch_folder& in, const std::string& name) {
  std::filesystem::create_symlink("/dev/full", in(name));
  return in(name);
}

const std::string no_room = ": expected a writable file, found: No space left on device\n";

TEST(cli_outputs, a_field_that_cannot_be_written_does_not_cost_the_report) {
  const scratch_folder in;
  const auto file = full(in, "full.npy");
  const strings run = {"--size", "9x9", "--steps", "5", "-o", file};
  const auto with = [&](strings more) {
    more.insert(more.begin(), run.begin(), run.end());
    return dwell_cli(small_run(more));
  };
  const auto text = with({});
  EXPECT_EQ(text.code, 1);
  EXPECT_EQ(text.err, "dwell: " + file + no_room);
  EXPECT_TRUE(holds(text.out, "5 steps done"));
  EXPECT_FALSE(holds(text.out, "full.npy")) << "nothing says that it was written";
  const auto piped = with({"--json", "-"});
  EXPECT_EQ(piped.code, 1);
  EXPECT_EQ(piped.json().at("steps"), 5);
  EXPECT_EQ(piped.json().at("files"), (nlohmann::json{{"field", nullptr}, {"report", nullptr}}));
  const auto filed = with({"--json", in("r.json")});
  EXPECT_EQ(filed.code, 1);
  EXPECT_EQ(nlohmann::json::parse(read_text(in("r.json"))).at("files"),
            (nlohmann::json{{"field", nullptr}, {"report", in("r.json")}}));
  const auto quiet = with({"-q"});
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.out, "");
  EXPECT_EQ(quiet.err, "dwell: " + file + no_room);
}

TEST(cli_outputs, an_answer_a_history_and_a_report_fail_apart) {
  const scratch_folder in;
  const auto x = in("x.mtx"), h = in("h.csv"), j = in("r.json");
  const auto all =
      dwell_cli({"cg", "trefethen:20", "-o", x, "--history", h, "--json", j}, {.file_size = 50});
  EXPECT_EQ(all.code, 1);
  EXPECT_EQ(lines_of(all.err).size(), 3u) << all.err;
  for (const auto& file : {x, h, j})
    EXPECT_TRUE(holds(all.err, file + ": expected a writable file, found: File too large\n"));
  EXPECT_TRUE(holds(all.out, "converged after"));
  EXPECT_FALSE(holds(all.out, "written"));
  EXPECT_EQ(in.files(), strings());
  const auto one =
      dwell_cli({"cg", "trefethen:20", "-o", full(in, "full"), "--history", h, "--json", "-"});
  EXPECT_EQ(one.code, 1);
  EXPECT_EQ(one.json().at("files"),
            (nlohmann::json{{"answer", nullptr}, {"history", h}, {"report", nullptr}}));
  EXPECT_EQ(lines_of(one.err).size(), 1u) << one.err;
}

TEST(cli_outputs, a_name_that_is_too_long_is_known_before_the_run) {
  const std::string name(300, 'a');
  const scratch_folder in;
  for (const char* option : {"--history", "--json"})
    expect_refused({"cg", "trefethen:20", option, in(name)},
                   std::string(option) + ": cannot write '" + in(name) + "': File name too long");
  expect_refused(small_run({"--size", "9x9", "-o", in(name + ".npy")}), "File name too long");
}

TEST(cli_outputs, a_comparison_that_cannot_be_filed_is_printed) {
  const scratch_folder in;
  const auto file = full(in, "c.json");
  for (const strings& what : {strings{"cg", "trefethen:20", "--no-peers", "--iterations", "2"},
                              strings{"stencil", "2d5pt", "--size", "8x8", "--steps", "2"}}) {
    strings args = {"compare"};
    args.insert(args.end(), what.begin(), what.end());
    args.insert(args.end(), {"--device", "cpu", "--threads", "1", "--repetitions", "1", "--format",
                             "json", "-o", file});
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 1);
    EXPECT_EQ(r.json().at("repetitions"), 1);
    EXPECT_TRUE(holds(r.err, "No space left on device; what was measured is on standard output\n"));
  }
}

TEST(cli_outputs, a_field_that_diverged_does_not_replace_the_one_it_came_from) {
  const scratch_folder in;
  ASSERT_EQ(dwell_cli(small_run({"--size", "9x9", "-o", in("u.npy"), "-q"})).code, 0);
  std::filesystem::create_symlink("u.npy", in("link.npy"));
  const auto before = read_text(in("u.npy"));
  const auto go_on = [&](const std::string& to, const char* weights) {
    return dwell_cli(small_run({"--input", in("u.npy"), "-o", to, "--weights", weights,
                                "--boundary", "periodic", "--steps", "3000", "--json", "-"}));
  };
  for (const auto& to : {in("u.npy"), in("link.npy")}) {
    const auto r = go_on(to, "9,9,9,9,9");
    EXPECT_EQ(r.code, 3);
    EXPECT_EQ(read_text(in("u.npy")), before);
    EXPECT_TRUE(
        starts(r.err, "dwell: warning: " + to + " is kept as it was: the result is not finite\n"));
    EXPECT_EQ(lines_of(r.err).size(), 2u) << r.err;
    EXPECT_TRUE(r.json().at("files").at("field").is_null());
    EXPECT_EQ(r.json().at("warnings").size(), 1u);
  }
  EXPECT_EQ(go_on(in("v.npy"), "9,9,9,9,9").code, 3);
  EXPECT_EQ(in.files(), (strings{"link.npy", "u.npy", "v.npy"})) << "another file is written";
  EXPECT_EQ(go_on(in("u.npy"), "0.2,0.2,0.2,0.2,0.2").code, 0);
  EXPECT_NE(read_text(in("u.npy")), before) << "what is finite goes on in place";
}

TEST(cli_outputs, private_files_stay_private) {
  const scratch_folder in;
  const auto write = [&] {
    const auto r = dwell_cli(small_run({"--size", "9x9", "-o", in("u.npy"), "-q"}));
    EXPECT_EQ(r.code, 0) << r.err;
  };
  namespace fs = std::filesystem;
  write();
  const auto mode = [&] { return fs::status(in("u.npy")).permissions(); };
  const auto owner = fs::perms::owner_read | fs::perms::owner_write;
  fs::permissions(in("u.npy"), owner);
  write();
  EXPECT_EQ(mode(), owner);
}

}  // namespace
}  // namespace dwell::test
