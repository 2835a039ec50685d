// SPDX-License-Identifier: MIT
// dwell cg --ranks and --distributed: one report, one answer, one line where something is wrong,
// whatever the number of ranks. Processes of MPI where mpirun is there.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <sstream>

#include "cli_runner.hpp"

#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

TEST(cli_ranks, give_the_answer_of_one) {
  const scratch_folder in;
  const auto one = report_of({"cg", "poisson2d:40x30", "--device", "cpu", "--json", "-"});
  EXPECT_TRUE(one.at("transport").is_null());
  EXPECT_TRUE(one.at("ranks").empty());
  for (const char* ranks : {"1", "2", "3"}) {
    const auto r = report_of({"cg", "poisson2d:40x30", "--ranks", ranks, "--threads", "1", "--json",
                              "-", "--output", in("x.mtx"), "--history", in("h.csv")});
    EXPECT_EQ(r.at("stop_reason"), "converged");
    EXPECT_NEAR(r.at("iterations").get<int>(), one.at("iterations").get<int>(), 1);
    EXPECT_LE(r.at("largest_error").get<double>(), 1e-6);
    const json& all = r.at("ranks");
    EXPECT_EQ(r.at("transport"), "threads");
    ASSERT_EQ(all.size(), std::stoul(ranks));
    std::int64_t rows = 0, nonzeros = 0;
    for (const json& rank : all) {
      EXPECT_EQ(rank.at("first_row").get<std::int64_t>(), rows);
      rows += rank.at("rows").get<std::int64_t>();
      nonzeros += rank.at("nonzeros").get<std::int64_t>();
      EXPECT_EQ(rank.at("threads"), 1);
      EXPECT_GT(rank.at("solve_s").get<double>(), 0);
    }
    EXPECT_EQ(rows, 1200);
    EXPECT_EQ(nonzeros, r.at("matrix").at("nonzeros").get<std::int64_t>());
    std::ifstream answer(in("x.mtx")), history(in("h.csv"));
    std::string line;
    int lines = 0;
    while (std::getline(answer, line)) ++lines;
    EXPECT_GT(lines, 1200);
    for (lines = 0; std::getline(history, line);) ++lines;
    EXPECT_EQ(lines, r.at("iterations").get<int>() + 2);
  }
}

TEST(cli_ranks, report_what_each_had) {
  const auto r = dwell_cli({"cg", "poisson2d:40x30", "--ranks", "2", "--per-rank"});
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("2 (threads), at most 600 rows"), std::string::npos) << r.out;
  EXPECT_NE(r.out.find("interior rows"), std::string::npos) << r.out;
}

TEST(cli_ranks, solve_by_every_method_in_every_precision) {
  for (const char* solver : {"cg", "minres", "bicgstab", "gmres"})
    for (const char* precision : {"f64", "f32", "mixed"}) {
      const auto r = report_of({"solve", "poisson2d:20x20", "--solver", solver, "--precision",
                                precision, "--rtol", "1e-4", "--ranks", "2", "--json", "-"});
      EXPECT_EQ(r.at("solver"), solver);
      EXPECT_EQ(r.at("precision"), precision);
      EXPECT_EQ(r.at("stop_reason"), "converged") << solver << " " << precision;
    }
}

TEST(cli_ranks, refuse_in_one_line) {
  expect_refused({"cg", "poisson2d:9x9", "--ranks", "0"}, "--ranks");
  expect_refused({"cg", "poisson2d:9x9", "--ranks", "2", "--executor", "perks"}, "host-loop");
  expect_refused({"cg", "poisson2d:9x9", "--ranks", "2", "--transport", "host"}, "--device cuda");
  expect_refused({"cg", "poisson2d:9x9", "--device", "cuda", "--transport", "host"}, "--ranks");
  expect_refused({"cg", "poisson2d:9x9", "--ranks", "2", "--device", "cuda:1"}, "in their order");
  expect_refused({"cg", "poisson2d:9x9", "--per-rank"}, "--ranks or --distributed");
  expect_refused({"cg", "poisson2d:9x9", "--partition", "metis"}, "--ranks or --distributed");
  expect_refused({"cg", "convection2d:9x9:5", "--ranks", "2"}, "symmetric");
  expect_refused({"cg", "no_such_file.mtx", "--ranks", "2"}, "no_such_file.mtx");
}

// More ranks than any machine has GPUs; without a GPU, or without CUDA or NCCL, what is missing.
TEST(cli_ranks, refuse_too_few_gpus_in_one_line) {
  for (const strings& what :
       {strings{"cg", "poisson2d:9x9"}, strings{"stencil", "2d5pt", "--size", "99x9"}}) {
    strings args = what;
    args.insert(args.end(), {"--ranks", "32", "--device", "cuda"});
    const auto r = dwell_cli(args);
    EXPECT_NE(r.code, 0);
    EXPECT_EQ(std::count(r.err.begin(), r.err.end(), '\n'), 1) << r.err;
    const bool found = find_cuda().devices > 0;
    if (found && why_no_nccl().empty()) {
      EXPECT_NE(r.err.find("a GPU for each of 32 ranks"), std::string::npos) << r.err;
    }
    if (!found) {
      EXPECT_NE(r.err.find(find_cuda().reason), std::string::npos) << r.err;
    }
  }
}

// Ranks on the GPUs that there are, and sharing one.
TEST(cli_ranks, solve_on_gpus) {
  const int devices = find_cuda().devices;
  if (devices == 0) GTEST_SKIP() << find_cuda().reason;
  const scratch_folder in;
  const strings solve = {"cg", "poisson2d:40x30", "--device", "cuda", "--json", "-"};
  const auto one = report_of(solve);
  const auto with = [&](strings more) {
    more.insert(more.begin(), solve.begin(), solve.end());
    return report_of(more);
  };
  const auto shared = with({"--ranks", "3", "--transport", "host", "--per-rank"});
  EXPECT_EQ(shared.at("transport"), "host");
  EXPECT_NEAR(shared.at("iterations").get<int>(), one.at("iterations").get<int>(), 1);
  EXPECT_TRUE(shared.at("ranks")[1].at("threads").is_null());
  EXPECT_EQ(shared.at("ranks")[1].at("gpu"), 1 % devices);
  if (devices > 1 && why_no_nccl().empty()) {
    const auto two = with({"--ranks", "2"});
    EXPECT_EQ(two.at("transport"), "nccl");
    EXPECT_EQ(two.at("executor"), "graph");
    EXPECT_EQ(two.at("ranks")[1].at("gpu"), 1);
  }
}

// A matrix whose rows are in no good order: METIS finds one, and the answer is in the given order.
TEST(cli_ranks, divide_by_metis) {
  const scratch_folder in;
  const strings solve = {"cg", "trefethen:500", "--rtol", "1e-10"};
  const auto with = [&](strings more) {
    strings all = solve;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  const auto r = dwell_cli(with({"--ranks", "3", "--partition", "metis", "--json", "-"}));
#ifdef DWELL_HAVE_METIS
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_LE(r.json().at("largest_error").get<double>(), 1e-8);
  // Squares are cut from a grid where rows are strips.
  const auto ghosts = [](const char* partition) {
    const auto grid = report_of(
        {"cg", "poisson2d:100x100", "--ranks", "4", "--partition", partition, "--json", "-"});
    std::int64_t all = 0;
    for (const json& rank : grid.at("ranks")) all += rank.at("ghosts").get<std::int64_t>();
    return all;
  };
  EXPECT_LT(ghosts("metis"), ghosts("rows"));
#else
  EXPECT_EQ(r.code, 1);
  EXPECT_NE(r.err.find("METIS"), std::string::npos);
#endif
}

// The rows of a rank without any, and of one rank more than there are rows.
TEST(cli_ranks, may_be_more_than_rows) {
  const auto r = report_of({"cg", "poisson2d:2x1", "--ranks", "5", "--json", "-"});
  EXPECT_EQ(r.at("stop_reason"), "converged");
  EXPECT_EQ(r.at("ranks").size(), 5u);
}

TEST(cli_ranks, divide_fields) {
  const scratch_folder in;
  const strings what = {"stencil",    "2d9pt",    "--size",    "61x50",    "--steps",  "13",
                        "--boundary", "periodic", "--initial", "random:3", "--device", "cpu"};
  const auto with = [&](strings more) {
    strings all = what;
    all.insert(all.end(), more.begin(), more.end());
    return all;
  };
  ASSERT_EQ(
      dwell_cli({"stencil", "2d5pt", "--size", "61x50", "--steps", "1", "-o", in("source.npy")})
          .code,
      0);
  const auto one =
      report_of(with({"--source", in("source.npy"), "-o", in("a.npy"), "--json", "-"}));
  EXPECT_TRUE(one.at("ranks").empty());
  const auto r = report_of(with({"--source", in("source.npy"), "-o", in("b.npy"), "--json", "-",
                                 "--ranks", "3", "--exchange-every", "4"}));
  EXPECT_EQ(r.at("transport"), "threads");
  ASSERT_EQ(r.at("ranks").size(), 3u);
  EXPECT_EQ(r.at("ranks")[1].at("grid"), json({3, 1}));
  EXPECT_EQ(r.at("ranks")[1].at("ghosts_before"), json({4, 0}));
  EXPECT_EQ(r.at("ranks")[1].at("ghosts_after"), json({4, 0}));
  EXPECT_EQ(r.at("ranks")[1].at("first_cell"), json({20, 0}));
  EXPECT_EQ(r.at("ranks")[1].at("size"), json({20, 50}));
  for (const char* same : {"steps", "least", "greatest", "stop_reason"})
    EXPECT_EQ(r.at(same), one.at(same)) << same;
  EXPECT_EQ(r.at("stencil").at("changing_cells"), one.at("stencil").at("changing_cells"));
  std::ifstream a(in("a.npy")), b(in("b.npy"));
  std::stringstream of_a, of_b;
  of_a << a.rdbuf(), of_b << b.rdbuf();
  EXPECT_EQ(of_a.str(), of_b.str());
  const auto blocks = report_of(with({"--source", in("source.npy"), "-o", in("c.npy"), "--json",
                                      "-", "--ranks", "4", "--rank-grid", "2x2"}));
  EXPECT_EQ(blocks.at("ranks")[3].at("first_cell"), json({30, 25}));
  EXPECT_EQ(read_text(in("c.npy")), of_a.str());
  EXPECT_EQ(dwell_cli({"stencil", "2d5pt", "--size", "20x20", "--until", "1e-3", "--ranks", "2",
                       "--precision", "f32"})
                .code,
            0);
  expect_refused({"stencil", "2d5pt", "--size", "3x3", "--ranks", "10"}, "layers");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--exchange-every", "2"}, "--ranks");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--rank-grid", "2x1"}, "--ranks");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--ranks", "4", "--rank-grid", "2x1"},
                 "product is 4");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--ranks", "4", "--rank-grid", "2y2"},
                 "--rank-grid");
  expect_refused({"stencil", "2d5pt", "--size", "9x9", "--ranks", "2", "--exchange-every", "9"},
                 "layers");
}

TEST(cli_ranks, are_interrupted_together) {
  cli_setting setting;
  setting.terminal = true;
  setting.signal_when = [](const std::string& err) {
    return err.find("iteration") != std::string::npos;
  };
  setting.signal = SIGINT;
  const auto r = dwell_cli({"cg", "poisson2d:300x300", "--ranks", "2", "--rtol", "0",
                            "--max-iterations", "100000000", "--json", "-"},
                           setting);
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_EQ(r.json().at("stop_reason"), "interrupted");
}

/// `mpirun` of the implementation that the program was built with.
struct outcome {
  int code = -1;
  std::string out;  ///< both streams
};
outcome run_shell(const std::string& command) {
  outcome got;
  FILE* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (!pipe) return got;
  std::array<char, 4096> chunk;
  while (const std::size_t n = std::fread(chunk.data(), 1, chunk.size(), pipe))
    got.out.append(chunk.data(), n);
  const int status = ::pclose(pipe);
  got.code = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return got;
}
/// ASan: what MPI itself leaves behind is not ours.
std::string mpirun(int ranks, const std::string& args, const std::string& program = DWELL_PROGRAM) {
  return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 "
         "OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_btl_vader_single_copy_mechanism=none "
         "ASAN_OPTIONS=detect_leaks=0 timeout 100 mpirun -n " +
         std::to_string(ranks) + " " + program + " " + args;
}

class cli_mpi : public testing::Test {
 protected:
  void SetUp() override {
#ifndef DWELL_HAVE_MPI
    GTEST_SKIP() << "built without MPI";
#endif
    if (run_shell("command -v mpirun").code != 0) GTEST_SKIP() << "no mpirun here";
  }
};

TEST_F(cli_mpi, gives_one_report_and_one_answer) {
  const scratch_folder in;
  const auto one = report_of({"cg", "poisson2d:40x30", "--device", "cpu", "--json", "-"});
  for (const int ranks : {1, 2, 3, 4}) {
    const auto r = run_shell(mpirun(ranks, "cg poisson2d:40x30 --distributed --quiet --json " +
                                               in("r.json") + " --output " + in("x.npy")));
    ASSERT_EQ(r.code, 0) << r.out;
    std::ifstream file(in("r.json"));
    const json report = json::parse(file);
    EXPECT_EQ(report.at("transport"), "mpi");
    EXPECT_EQ(report.at("ranks").size(), static_cast<std::size_t>(ranks));
    EXPECT_NEAR(report.at("iterations").get<int>(), one.at("iterations").get<int>(), 1);
    EXPECT_LE(report.at("residual").at("relative_true").get<double>(), 1.1e-8);
  }
}

/// `what`, up to the name of a report, on so many processes and on as many threads.
void expect_bits_of_threads(const scratch_folder& in, const std::string& what, int ranks = 3,
                            const std::string& program = DWELL_PROGRAM) {
  const auto r =
      run_shell(mpirun(ranks, what + in("a.json") + " --distributed -o " + in("a.npy"), program));
  ASSERT_EQ(r.code, 0) << r.out;
  const auto threads = run_shell(std::string(DWELL_PROGRAM) + " " + what + in("b.json") +
                                 " --ranks " + std::to_string(ranks) + " -o " + in("b.npy"));
  ASSERT_EQ(threads.code, 0) << threads.out;
  EXPECT_EQ(run_shell("cmp " + in("a.npy") + " " + in("b.npy")).code, 0);
}

TEST_F(cli_mpi, has_the_bits_of_threads) {
  const scratch_folder in;
  const std::string what = "cg poisson2d:40x30 --quiet --rtol 1e-10 --json ";
  expect_bits_of_threads(in, what);
}

// No process has a vector of the whole system where none is in a file and no answer is asked for:
// the peak of the first is that of the others, give or take half a vector. (A vector is 19.5 MiB
// here, of which a rank has a quarter; peaks of equal processes differ by about 1 MiB, by more
// where pages of libraries are not in memory yet.)
TEST_F(cli_mpi, needs_no_more_memory_on_the_first_process) {
  if (run_shell("command -v python3").code != 0) GTEST_SKIP() << "no python3 here";
  const scratch_folder in;
  // Each into a file of its own: what processes print is mixed.
  const std::string script =
      in.write("peak.py",
               "import os, resource, subprocess, sys\n"
               "subprocess.call(sys.argv[2:])\n"
               "with open(f'{sys.argv[1]}.{os.getpid()}', 'w') as file:\n"
               "    print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss, file=file)\n");
  const auto spread_of_peaks = [&](const std::string& name, const std::string& output) {
    const auto r =
        run_shell(mpirun(4,
                         in(name) +
                             " " DWELL_PROGRAM " cg poisson2d:1600x1600 --distributed --threads 1 "
                             "--quiet --max-iterations 2" +
                             output,
                         "python3 " + script));
    std::vector<double> peaks;
    for (const std::string& peak : lines_of(run_shell("cat " + in(name) + ".*").out))
      peaks.push_back(std::stod(peak));
    EXPECT_EQ(peaks.size(), 4u) << r.out;
    std::sort(peaks.begin(), peaks.end());
    return peaks.size() == 4 ? peaks[3] - peaks[1] : 0.0;  // the most less an ordinary one
  };
  const double half_a_vector = 1600.0 * 1600 * sizeof(double) / 2 / 1024;  // KiB, as the peaks are
  EXPECT_LT(spread_of_peaks("without", ""), half_a_vector);
  // The measure sees a vector where there is one.
  EXPECT_GT(spread_of_peaks("with", " --output " + in("x.npy")), half_a_vector);
}

// Each process on a GPU of its own, whether it sees all of them or that one alone; or sharing them.
TEST_F(cli_mpi, has_the_bits_of_threads_on_gpus) {
  const int devices = find_cuda().devices;
  if (devices == 0) GTEST_SKIP() << find_cuda().reason;
  const scratch_folder in;
  const std::string what = "cg poisson2d:40x30 --device cuda --quiet --rtol 1e-10 ";
  expect_bits_of_threads(in, what + "--transport host --json ", 3);
  if (!why_no_nccl().empty()) return;
  if (devices == 1) {
    const auto r = run_shell(mpirun(2, what + "--distributed"));
    EXPECT_EQ(r.code, 4) << r.out;
    EXPECT_NE(r.out.find("found ranks that share one"), std::string::npos) << r.out;
    return;
  }
  expect_bits_of_threads(in, what + "--json ", 2);
  in.write("one.sh",
           "export CUDA_VISIBLE_DEVICES=${OMPI_COMM_WORLD_LOCAL_RANK:-$MPI_LOCALRANKID}\n"
           "exec " DWELL_PROGRAM " \"$@\"\n");
  expect_bits_of_threads(in, what + "--json ", 2, "sh " + in("one.sh"));
}

// The first process alone knows the files, and with the coordinates the rows of a node.
TEST_F(cli_mpi, hands_out_modes) {
  const scratch_folder in;
  ASSERT_EQ(dwell_cli({"generate", "elasticity2d:40x30", "-o", in("A.mtx"), "--coordinates",
                       in("nodes.npy")})
                .code,
            0);
  const std::string what = "cg " + in("A.mtx") + " --preconditioner amg --coordinates " +
                           in("nodes.npy") + " --quiet --json ";
  expect_bits_of_threads(in, what);
}

TEST_F(cli_mpi, divides_fields) {
  const scratch_folder in;
  const std::string what = "stencil 2d5pt --size 40x30 --steps 20 --quiet -o ";
  ASSERT_EQ(run_shell(mpirun(3, what + in("a.npy") + " --distributed --exchange-every 3")).code, 0);
  ASSERT_EQ(run_shell(std::string(DWELL_PROGRAM) + " " + what + in("b.npy") + " --device cpu").code,
            0);
  EXPECT_EQ(run_shell("cmp " + in("a.npy") + " " + in("b.npy")).code, 0);
}

TEST_F(cli_mpi, divides_grids) {
  const scratch_folder in;
  for (const std::string more : {"--boundary neumann --s 0.01", "--full-multigrid --cycle w"}) {
    const std::string what = "grid 90x70 --quiet " + more + " -o ";
    const auto r = run_shell(mpirun(3, what + in("a.npy") + " --distributed --gather-below 1"));
    ASSERT_EQ(r.code, 0) << r.out;
    ASSERT_EQ(run_shell(std::string(DWELL_PROGRAM) + " " + what + in("b.npy")).code, 0);
    EXPECT_EQ(run_shell("cmp " + in("a.npy") + " " + in("b.npy")).code, 0);
  }
}

TEST_F(cli_mpi, says_what_is_wrong_once) {
  const auto lines_with = [](const std::string& text, const std::string& part) {
    int n = 0;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) n += line.find(part) != std::string::npos;
    return n;
  };
  auto r = run_shell(mpirun(3, "cg no_such_file.mtx --distributed"));
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_EQ(lines_with(r.out, "no_such_file.mtx"), 1) << r.out;
  r = run_shell(mpirun(3, "cg convection2d:9x9:5 --distributed"));
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_EQ(lines_with(r.out, "symmetric"), 1) << r.out;
  r = run_shell(mpirun(3, "grid 4x9 --distributed"));
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_EQ(lines_with(r.out, "expected at most 2 for 4 unknowns"), 1) << r.out;
  r = run_shell(mpirun(2, "grid 40x9 --k no_such_file.npy --distributed"));
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_EQ(lines_with(r.out, "no_such_file.npy"), 1) << r.out;
  const scratch_folder in;
  const std::string file = in("A.dwell");
  ASSERT_EQ(dwell_cli({"generate", "poisson2d:60x60", "-o", file}).code, 0);
  r = run_shell(mpirun(3, "cg " + file + " --distributed --quiet"));
  EXPECT_EQ(r.code, 0) << r.out;
  std::string bytes = read_text(file);
  bytes[bytes.size() - 200] ^= 1;  // a byte of the last rank's rows
  in.write("A.dwell", bytes);
  r = run_shell(mpirun(3, "cg " + file + " --distributed"));
  EXPECT_EQ(r.code, 1) << r.out;
  EXPECT_EQ(lines_with(r.out, "expected checksum"), 1) << r.out;
  r = run_shell(mpirun(2, "cg poisson2d:30x30 --distributed --max-iterations 3"));
  EXPECT_EQ(r.code, 2) << r.out;
  EXPECT_EQ(lines_with(r.out, "dwell: NOT converged"), 1) << r.out;
}

// One process is killed: the others end within seconds, and the job says so.
TEST_F(cli_mpi, ends_when_a_process_dies) {
  const auto begin = std::chrono::steady_clock::now();
  const auto r = run_shell(
      "(" +
      mpirun(3, "cg poisson2d:200x200 --distributed --rtol 0 --max-iterations 100000000 --quiet") +
      ") & job=$!; for try in $(seq 200); do sleep 0.1; victim=$(pgrep -f "
      "'^" DWELL_PROGRAM
      " cg poisson2d:200x200 --distributed' | tail -n 1); [ -n \"$victim\" ] && "
      "sleep 1 && kill -9 $victim && break; done; wait $job");
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  EXPECT_NE(r.code, 0) << r.out;
  EXPECT_LT(seconds, 60) << "100 seconds is where the job would have been ended";
}

}  // namespace
}  // namespace dwell::test
