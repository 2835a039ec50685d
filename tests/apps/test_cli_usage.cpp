// SPDX-License-Identifier: MIT
// Help, usage errors, outputs that cannot be written, devices that are not there: one clear line on
// standard error, the documented code, nothing left behind.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cli/device_choice.hpp"
#include "cli_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/api/options_table.hpp"
#include "dwell/version.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

TEST(cli_usage, help) {
  for (const strings& words : {strings{}, {"solve"}, {"cg"}, {"info"}, {"generate"}}) {
    auto args = words;
    args.push_back("--help");
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0);
    EXPECT_EQ(r.err, "");
    EXPECT_TRUE(holds(r.out, "Examples:\n  dwell " + (words.empty() ? "solve" : words[0])));
    if (words.empty() || words[0] == "cg" || words[0] == "solve") {
      for (const auto* code : {"\n  0 ", "\n  1 ", "\n  2 ", "\n  3 ", "\n  4 ", "\n  130 "})
        EXPECT_TRUE(holds(r.out, code));
    }
    for (const auto& line : lines_of(r.out)) EXPECT_LE(line.size(), 80u) << line;
  }
  const auto kinds = dwell_cli({"generate", "--help"}).out;
  for (const auto* kind : {"trefethen:N", "poisson2d:WxH", "poisson3d:WxHxD", "box3d:N",
                           "like:NAME", "ecology2", "af_1_k101"})
    EXPECT_TRUE(holds(kinds, kind));
}

/// The methods are those that `dwell compare` names; each has its three subcommands and examples.
TEST(cli_usage, each_method_is_run_compared_and_explained) {
  const auto refused = [](const char* command) {
    const auto err = dwell_cli({command}).err;
    EXPECT_TRUE(starts(err, "dwell: expected a command ("));
    return err.substr(0, err.find(')'));
  };
  EXPECT_EQ(refused("compare"), "dwell: expected a command (solve, cg, stencil or convolve");
  EXPECT_EQ(refused("explain"), "dwell: expected a command (solve, cg, stencil, convolve or grid");
  const auto first_words = [](const std::string& help, const std::string& before) {
    strings words;
    for (const auto& line : lines_of(help))
      if (line.starts_with(before)) {
        const auto rest = line.substr(before.size());
        words.push_back(rest.substr(0, rest.find(' ')));
      }
    return words;
  };
  const auto help = dwell_cli({"--help"}).out;
  const auto methods = first_words(help, "  dwell compare ");
  ASSERT_EQ(methods, (strings{"solve", "cg", "stencil", "convolve"}));
  const auto explained = first_words(help, "  dwell explain ");
  EXPECT_EQ(explained, (strings{"solve", "cg", "stencil", "convolve", "grid"}));
  for (const auto& name : methods) {
    EXPECT_TRUE(holds(help, "\n  dwell " + name + " "));
    EXPECT_TRUE(holds(refused("compare"), name));
    std::vector<strings> forms = {{name}, {"compare", name}};
    if (std::find(explained.begin(), explained.end(), name) != explained.end())
      forms.push_back({"explain", name});
    for (const strings& words : forms) {
      auto args = words;
      args.push_back("--help");
      const auto r = dwell_cli(args);
      EXPECT_EQ(r.code, 0) << r.err;
      EXPECT_TRUE(holds(r.out, "\nExamples:\n  dwell " + words.front() + " "));
    }
  }
}

TEST(cli_usage, version) {
  const auto r = dwell_cli({"--version"});
  EXPECT_EQ(r.code, 0);
  EXPECT_EQ(r.out, "dwell " DWELL_VERSION_STRING "\n");
}

TEST(cli_usage, wrong_command_lines) {
  expect_refused(
      {},
      "expected a command (solve, cg, stencil, convolve, grid, compare, explain, info, generate, "
      "convert, kernels, measure, model, trace, completion "
      "or man), found ");
  expect_refused({"solver"}, "found 'solver'; did you mean 'solve'? (see 'dwell --help')");
  expect_refused({"cg"}, "MATRIX is required");
  expect_refused({"cg", "trefethen:20", "more"}, "expected no more arguments, found 'more' (see");
  expect_refused({"cg", "trefethen:20", "--no-such-option"}, "--no-such-option");
  expect_refused({"cg", "trefethen:20", "--rtol"}, "--rtol");
  expect_refused({"cg", "trefethen:20", "--rtol="}, "--rtol");
  expect_refused({"generate", "trefethen:20"}, "--output is required");
  const strings field = {"stencil", "2d5pt", "--size", "9x9"};
  const auto refused = [&](const strings& more, const std::string& part) {
    auto args = field;
    args.insert(args.end(), more.begin(), more.end());
    expect_refused(args, "dwell: " + part);
  };
  refused({"--steps", "2", "--steps", "3"}, "--steps: expected once, found 2 times (see");
  refused({"--output"}, "--output: expected FILE|-, found nothing (see");
  refused({"--output", ""}, "--output: expected a file name, found ''\n");
  refused({"-o", "x.jpg"}, "--output: expected a name that ends in");
}

/// Threads of a run on a GPU are none of the CPU's. Reading a matrix takes some anywhere.
TEST(cli_usage, threads_are_for_runs_on_the_cpu) {
  using kind = app::device_choice::kind;
  const app::device_choice by_itself = {kind::automatic}, cpu = {kind::cpu}, gpu = {kind::cuda};
  EXPECT_EQ(app::threads_refusal(by_itself, 2, backend::cpu), "");
  EXPECT_EQ(app::threads_refusal(cpu, 2, backend::cpu), "");
  EXPECT_EQ(app::threads_refusal(by_itself, 0, backend::cuda), "");
  EXPECT_EQ(app::threads_refusal(by_itself, 2, backend::cuda),
            "--threads: expected a run on the CPU, found a GPU; add --device cpu");
  EXPECT_EQ(app::threads_refusal(gpu, 2, backend::cuda),
            "--threads: expected a run on the CPU, found --device cuda; use --device cpu");
  for (const strings& what : {strings{"stencil"}, {"compare", "stencil"}, {"explain", "stencil"}}) {
    auto args = what;
    args.insert(args.end(), {"2d5pt", "--size", "9x9", "--device", "cuda", "--threads", "2"});
    expect_refused(args, "--threads: expected a run on the CPU, found --device cuda");
  }
  expect_refused({"info", "--device", "cuda", "--threads", "2"}, "--threads: expected");
}

TEST(cli_usage, numbers_of_a_range_are_refused_as_by_the_library) {
  int found = 0;
  for (const solve_option& option : solve_option_table()) {
    solve_options o;
    bool whole = false;
    with_member(option, o, [&]<class M>(M&) { whole = std::is_same_v<M, int>; });
    if (!whole || !option.flag || !option.range) continue;
    ++found;
    const int below = static_cast<int>(option.range->least) - 1;
    for (const auto& value : strings{std::to_string(below), "-3", "1.5", "ten"})
      for (const strings& command : {strings{"solve"}, strings{"compare", "solve"}}) {
        strings args = command;
        args.insert(args.end(), {"trefethen:20", option.flag, value});
        const bool limited = option.range->most < std::numeric_limits<double>::max();
        const std::string allowed =
            limited ? option.range->text()
                    : "a whole number from " + std::to_string(below + 1) + " to 2147483647";
        expect_refused(
            args, std::string(option.flag) + ": expected " + allowed + ", found '" + value + "'");
      }
    if (option.range->most < 1e6) {  // whichever preconditioner there is
      const std::string above = std::to_string(static_cast<int>(option.range->most) + 1);
      expect_refused({"solve", "trefethen:20", "--device", "cpu", option.flag, above},
                     option.name + (": expected " + option.range->text()) + ", found " + above);
    }
    with_member(option, o, [&]<class M>(M& member) {
      if constexpr (std::is_same_v<M, int>) member = below;
    });
    EXPECT_EQ(
        refusal<input_error>([&] { check_ranges(o); }),
        option.name + (": expected " + option.range->text()) + ", found " + std::to_string(below));
  }
  EXPECT_GE(found, 7);
}

/// Long words at every kind of place: one line that can be read, with what is at its ends.
TEST(cli_usage, messages_of_long_words_are_bounded) {
  const scratch_folder in;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    std::mt19937 random(seed);
    const char* pieces[] = {"a", "(", "u+", "\u00e4", "\u20ac", "0", "-"};
    std::string word;
    for (const int size = 3000 + int(random() % 20000); int(word.size()) < size;)
      word += pieces[random() % 7];
    const std::string file = in("a.toml");
    const std::string whole = "fields = \"u\"\nstep = \"u = u[0, 1]\"\n";
    const std::pair<std::string, std::string> cases[] = {
        {whole + "\"" + word + "\" = 1\n", "no such key"},
        {whole + "[run]\nsize = \"" + word + "\"\n", "[run] size: expected rows x columns"},
        {whole + "[values]\nu = \"" + word + "\"\n[run]\nsize = \"9x9\"\n",
         "[values] u: expected a number"},
        {"fields = \"u\"\nstep = \"u = v" + std::string(word.size(), 'x') + "\"\n",
         "expected a name that is known"},
    };
    std::vector<std::string> args{"stencil", file, "-q"};
    std::string said;
    if (seed % 3 == 0) {
      const char* options[] = {"--executor", "--precision", "--rtol", "--device",
                               "--max-iterations"};
      const char* const option = options[random() % 5];
      args = {"cg", "trefethen:20", option + ("=" + word)};
      said = std::string(option).substr(2);
    } else {
      const auto& [text, part] = cases[random() % 4];
      in.write("a.toml", text);
      said = part;
    }
    SCOPED_TRACE(std::to_string(seed) + ", " + said);
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 1);
    EXPECT_LT(r.err.size(), 2020u);
    EXPECT_EQ(std::ranges::count(r.err, '\n'), 1);
    EXPECT_TRUE(r.err.find(said) != std::string::npos) << r.err;
    EXPECT_TRUE(r.err.find("\\x") == std::string::npos) << "a letter was cut: " << r.err;
  }
}

TEST(cli_usage, wrong_values) {
  for (const auto* option : {"--rtol", "--atol"})
    for (const auto* value : {"-1", "nan", "inf", "1e-8x", " 1", "0x1", "1e999"})
      expect_refused(
          {"cg", "trefethen:20", std::string(option) + "=" + value},
          std::string(option) + ": expected a finite number >= 0, found '" + value + "'");
  for (const auto* value : {"0", "-3", "1.5", "ten", "2147483648"})
    expect_refused({"cg", "trefethen:20", "--threads", value},
                   "expected a whole number from 1 to 2147483647, found '" + std::string(value));
  for (const auto* value : {"-3", "1.5", "ten", "2147483648"})
    expect_refused({"cg", "trefethen:20", "--max-iterations", value},
                   "--max-iterations: expected a whole number from 0 to 2147483647, found '" +
                       std::string(value));
  expect_refused({"cg", "trefethen:20", "--executor", "fast"}, "auto, host-loop, graph");
  expect_refused({"cg", "trefethen:20", "--policy", "hoard"}, "--policy: expected auto, none");
  expect_refused({"cg", "trefethen:20", "--precision", "f16"},
                 "expected f64, f32 or mixed, found 'f16'");
  expect_refused({"cg", "trefethen:20", "--preconditioner", "ilu"}, "none, jacobi, amg, ");
  for (const auto* device : {"gpu", "cuda:", "cuda:-1", "cuda:x", "CPU", "cuda:0x"})
    expect_refused({"cg", "trefethen:20", "--device", device}, "auto, cpu, cuda or cuda:N");
}

TEST(cli_usage, wrong_matrices) {
  const scratch_folder in;
  expect_refused({"cg", in("none.mtx")}, "no such file");
  expect_refused({"info", in("none.mtx")}, "no such file");
  expect_refused({"cg", in("")}, "folder");
  expect_refused({"cg", "trefethen:0"}, "trefethen");
  expect_refused({"generate", in("none.mtx"), "-o", in("out.mtx")}, "generate --help");
  const auto bad =
      in.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 x\n");
  expect_refused({"cg", bad}, bad + ":3: expected");
  const auto three =
      in.write("three.mtx", "%%MatrixMarket matrix array real general\n3 1\n1\n2\n3\n");
  for (const auto* option : {"--rhs", "--x0"}) {
    expect_refused({"cg", "trefethen:20", option, three}, "expected 20 values");
    expect_refused({"cg", "trefethen:20", option, three}, "found 3");
    expect_refused({"cg", "trefethen:20", option, in("none.mtx")}, in("none.mtx"));
  }
}

TEST(cli_usage, devices_and_executors_that_are_not_there) {
  expect_refused({"cg", "trefethen:20", "--device", "cuda:99"}, "CUDA", 4);
  expect_refused({"info", "--device", "cuda:99"}, "CUDA", 4);
  expect_refused({"cg", "trefethen:20", "--device", "cpu", "--executor", "graph"},
                 "not available on cpu");
  if (dwell_cli({"info", "--json", "-"}).json().at("cuda_devices") == 0) {
    expect_refused({"cg", "trefethen:20", "--device", "cuda"}, "CUDA", 4);
    EXPECT_EQ(dwell_cli({"cg", "trefethen:20", "--device", "auto", "-q"}).code, 0);
  }
}

TEST(cli_usage, too_little_memory_is_4) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  const auto limit = rlim_t{300} << 20;
  const auto r = dwell_cli({"cg", "poisson2d:3000x3000", "--threads", "1", "--device", "cpu"},
                           {.memory = limit});
  EXPECT_EQ(r.code, 4) << r.err;
  EXPECT_TRUE(holds(r.err, "memory"));
}

// Those that had started waited for the others for ever.
TEST(cli_usage, threads_that_the_system_does_not_start_are_4) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  const strings matrix = {"cg", "trefethen:2000"}, field = {"stencil", "2d5pt", "--size", "99x99"};
  for (const strings& problem : {matrix, field})
    for (const char* executor : {"host-loop", "persistent"}) {
      strings args = problem;
      for (const char* more : {"--executor", executor, "--device", "cpu", "--threads", "4"})
        args.push_back(more);
      const auto r = dwell_cli(args, {.memory = rlim_t{2} << 30, .stack = rlim_t{1} << 30});
      EXPECT_EQ(r.code, 4) << r.err;
      EXPECT_EQ(lines_of(r.err).size(), 1u) << r.err;
      EXPECT_TRUE(holds(r.err, "expected the system to start"));
    }
}

TEST(cli_usage, a_history_takes_memory_as_it_grows_or_says_how_much_it_wants) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers need more address space than this test leaves";
#endif
  const scratch_folder in;
  const auto args = [&](const char* limit) {
    return strings{"cg",        "trefethen:200", "--threads",        "1",  "--device", "cpu",
                   "--history", in("h.csv"),     "--max-iterations", limit};
  };
  // A limit that would take half of the address space, of which the run touches next to nothing.
  const auto memory = rlim_t{1} << 30;
  const auto modest = dwell_cli(args("60000000"), {.memory = memory});
  EXPECT_EQ(modest.code, 0) << modest.err;
  const auto lines = lines_of(read_text(in("h.csv"))).size();
  EXPECT_GT(lines, 2u);
  EXPECT_LT(lines, 200u);
  const auto huge = dwell_cli(args("2147483647"), {.memory = memory});
  EXPECT_EQ(huge.code, 4) << huge.err;
  EXPECT_EQ(lines_of(huge.err).size(), 1u) << huge.err;
  EXPECT_TRUE(holds(huge.err, "history of up to 2147483648 residuals"));
  EXPECT_TRUE(holds(huge.err, "16.0 GiB more are needed"));
}

// The matrix is malformed: if the complaint is about the output, it came before any reading.
TEST(cli_usage, unwritable_outputs_are_refused_before_any_work) {
  const scratch_folder in;
  const auto bad = in.write("bad.mtx", "not a matrix\n");
  std::filesystem::create_directory(in("folder.mtx"));
  const auto before = in.files();
  for (const auto* option : {"--output", "--history", "--json"}) {
    const auto name = std::string(option);
    expect_refused({"cg", bad, name, in("no/such/x.mtx")}, name + ": cannot write");
    expect_refused({"cg", bad, name, in("folder.mtx")}, "folder");
    expect_refused({"cg", bad, name, "/proc/none.mtx"}, name);
    expect_refused({"cg", bad, name, bad + "/x.mtx"}, "is no folder");
    expect_refused({"cg", bad, name, bad}, "is an input of this run");
    expect_refused({"cg", bad, name, ""}, "found ''");
  }
  expect_refused({"cg", bad, "-o", in("x.mtx")}, "bad.mtx:1: expected");
  expect_refused({"generate", "trefethen:20", "-o", in("no/such/x.mtx")}, "no folder");
  EXPECT_EQ(in.files(), before) << "nothing is left behind";
}

TEST(cli_usage, standard_output_in_trouble) {
  const scratch_folder in;
  const auto gone = dwell_cli({"cg", "trefethen:20", "-o", in("x.mtx")}, {.stdout_to = "gone"});
  EXPECT_EQ(gone.code, 0) << "a reader that went away is no error";
  EXPECT_EQ(in.files(), strings{"x.mtx"});
  for (const auto* where : {"/dev/full", "closed"}) {
    const auto r = dwell_cli({"cg", "trefethen:20", "--json", "-"}, {.stdout_to = where});
    EXPECT_EQ(r.code, 1) << where;
    EXPECT_TRUE(holds(r.err, "standard output")) << where;
  }
}

}  // namespace
}  // namespace dwell::test
