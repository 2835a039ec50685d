// SPDX-License-Identifier: MIT
// The rules of peers that are in the program.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "peer_runs.hpp"

namespace dwell::test {
namespace {

/// Rules that are in the program, against lines as the sources of those programs write them.
TEST(cli_peers, shipped_rules_read_what_their_programs_print) {
  const scratch_folder folder;
  struct sample {
    const char *name, *problem;
    strings lines;
    double us;  ///< per step or iteration; of 2d5pt 18x18 resp. 3d7pt 18x18x18, 10 steps
  };
  const double plane = 18 * 18, inner = 16 * 16;
  const sample all[] = {
      {"devito",
       "stencil",
       {"Operator Kernel ran in 0.02 s",
        "Global performance: [OI=1.00, 3.00 GFlops/s, 0.50 GPts/s]",
        "Global performance <w/o setup>: [0.01 s, 0.25 GPts/s]", "Local performance:"},
       inner / 0.25e3},
      {"hypre",
       "cg",
       {"=============", "Setup phase times:", "=============", "PCG Setup:",
        "  wall clock time = 0.004000 seconds", "  cpu clock time  = 0.003000 seconds",
        "=============", "Solve phase times:", "=============", "PCG Solve:",
        "  wall clock time = 0.000500 seconds", "  wall MFLOPS     = 0.000000",
        "  cpu clock time  = 0.000400 seconds", "", "Iterations = 5",
        "Final Relative Residual Norm = 5.114025e-07"},
       100},
      {"ginkgo",
       "cg",
       {"[", "    {", "        \\\"solver\\\": {", "            \\\"cg\\\": {",
        "                \\\"generate\\\": {", "                    \\\"time\\\": 0.25",
        "                },", "                \\\"apply\\\": {",
        "                    \\\"components\\\": {",
        "                        \\\"apply(<typename>)\\\": 1.0", "                    },",
        "                    \\\"iterations\\\": 8,", "                    \\\"time\\\": 0.0004",
        "                },", "                \\\"residual_norm\\\": 1.0,"},
       50}};
  for (const auto& one : all) {
    SCOPED_TRACE(one.name);
    const auto script = program(folder, "peer.sh", one.lines);
    const strings subject = std::string(one.problem) == "stencil"
                                ? strings{"2d5pt", "--size", "18x18", "--steps", "10"}
                                : strings{"poisson2d:5x5", "--rtol", "1e-3"};
    strings args = compared(one.problem, subject);
    args.insert(args.end(),
                {"--peer", std::string(one.name) + "=sh " + script, "--format", "json"});
    const auto r = dwell_cli(args);
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), one.name);
    ASSERT_EQ(row.at("outcome"), "measured") << row;
    const auto& time = row.at("time");
    EXPECT_NEAR(
        (time.contains("per_step_us") ? time.at("per_step_us") : time.at("per_iteration_us"))
            .at("median")
            .get<double>(),
        one.us, 1e-6 * one.us);
  }
  // Those of GPUs: the same patterns as files of one's own, for here they may run.
  const sample on_gpus[] = {
      {"faststencil",
       "2d5pt",
       {"[INFO] NY 18, NX 18, T 10, checker 0",
        "[CRITICAL] FastStencil: 0.500000 GStencil/s, 0.007470 TFLOPS, 91.2% Efficient "
        "computation(0.007/0.008)"},
       plane / 0.5e3},
      {"ebisu",
       "2d5pt",
       {"[FORMA] Performance (ms) : 0.010000 ", "[FORMA] Performance (GCells/s) : 0.250000 ",
        "[FORMA] Valid Performance (GCells/s): 0.200000 "},
       plane / 0.25e3},
      {"perks-2d",
       "2d5pt",
       {"0\t2\t0\t18\t18\t10\t256\t<1,1>\t1\t2.000000\t0.010000\t0.125000\t4\t5\t256\t36\t8\t"},
       inner / 0.125e3},
      {"perks-3d",
       "3d7pt",
       {"0\t2\t18\t18\t18\t10\t256\t4\t<1,1,1>\t132\t1\t2.000000\t0.010000\t0.500000\t1\t2\t3\t"},
       plane * 18 / 0.5e3},
      {"an5d",
       "2d5pt",
       {"[Device warm-up]", "9.0000 ms", "", "[Device execution]",
        "      0:     1.0000 GFLOPS,     0.5000 ms", "Average:     1.0000 GFLOPS,     0.4000 ms"},
       40},
      {"drstencil",
       "2d5pt",
       {"Initiating ...", "GPU computing ...", "GPU finished computing.",
        "GPU computation time: 0.700000 ms"},
       70},
      {"bricks",
       "3d7pt",
       {"d3pt7", "Arr: 0.5", "Arr warp: 0.25", "Arr scatter: 0.125", "Bri: 0.0625",
        "Trans: 3.125e-05"},
       31.25},
      {"diffusion",
       "3d7pt",
       {"Benchmarking finished.", "Elapsed time : 3.500 (s)", "FLOPS        : 1.000 (GFLOPS)",
        "Accuracy     : 1.000000e-07", "Kernel-only performance:", "Elapsed time : 1.250 (s)",
        "FLOPS        : 3.000 (GFLOPS)"},
       125e3},
      {"driver", "2d5pt", {"STENCILGEN 10 steps: 0.320000 ms"}, 32},
      {"driver", "3d7pt", {"error of 2 steps: none", "Halide 10 steps: 4.8e-01 ms"}, 48},
      {"amgx",
       "cg",
       {"         Total Iterations: 4", "         Avg Convergence Rate: \t\t         0.0374",
        "         Final Residual: \t\t   5.114025e-07",
        "         Total Reduction in Residual: \t   1.022805e-10", "Total Time: 0.83328",
        "    setup: 0.37252 s", "    solve: 0.0004 s", "    solve(per iteration): 0.0658232 s"},
       100}};
  const std::filesystem::path rules = DWELL_PEER_RULES;
  for (const auto& one : on_gpus) {
    SCOPED_TRACE(one.name);
    auto text = read_text((rules / (std::string(one.name) + ".toml")).string());
    const auto place = text.find("runs_on = \"gpu\"\n");
    ASSERT_NE(place, std::string::npos);
    text.erase(place, 16);
    const auto script = program(folder, "peer.sh", one.lines);
    const bool system = std::string(one.problem) == "cg";
    const bool single = text.find("precisions = \"f32\"") != std::string::npos;
    strings args = system ? compared("cg", {"poisson2d:5x5", "--rtol", "1e-3"})
                          : compared("stencil", {one.problem, "--steps", "10", "--size",
                                                 one.problem[0] == '2' ? "18x18" : "18x18x18"});
    args.insert(args.end(), {"--precision", single ? "f32" : "f64", "--peer", "p=sh " + script,
                             "--peer-rules", folder.write("rule.toml", text), "--format", "json"});
    const auto r = dwell_cli(args);
    ASSERT_EQ(r.code, 0) << r.err << r.out;
    const auto row = row_of(r.json(), "p");
    ASSERT_EQ(row.at("outcome"), "measured") << row;
    EXPECT_NEAR(
        row.at("time").at(system ? "per_iteration_us" : "per_step_us").at("median").get<double>(),
        one.us, 1e-6 * one.us);
  }
  for (const auto& file : std::filesystem::directory_iterator(rules)) {
    const auto is_it = [&](const sample& s) { return s.name == file.path().stem().string(); };
    EXPECT_TRUE(std::ranges::any_of(all, is_it) || std::ranges::any_of(on_gpus, is_it))
        << file.path() << ": a rule without lines of its program";
  }
  // And as they are, they say so here.
  const auto r = dwell_cli(compared(
      "stencil", {"2d5pt", "--size", "18x18", "--peer", "faststencil=true", "--format", "json"}));
  EXPECT_EQ(row_of(r.json(), "faststencil").at("why"), "by its rule it runs on GPUs only");
}

}  // namespace
}  // namespace dwell::test
