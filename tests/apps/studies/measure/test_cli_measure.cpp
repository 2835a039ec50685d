// SPDX-License-Identifier: MIT
// dwell measure: the arithmetic of its two methods, the rows of every group and what must hold
// between them by logic, the facts that --save writes, an interrupt, and bad command lines. No test
// asserts a time.
#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "json_reference.hpp"
#include "measured_gpu.hpp"
#include "studies/measure/statistics.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

strings measured(strings more) {
  strings args = {"measure", "--device", "cpu", "--quiet"};
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

/// The rows of a group that was measured, each of which has what every row must have.
std::vector<json> measured_rows(strings more) {
  auto args = measured(std::move(more));
  args.insert(args.end(), {"--json", "-"});
  const auto r = dwell_cli(args);
  EXPECT_EQ(r.code, 0) << r.err;
  std::vector<json> rows = r.json().at("rows");
  EXPECT_FALSE(rows.empty());
  for (const json& row : rows) {
    EXPECT_GE(row.at("samples"), 2) << row;
    EXPECT_GE(row.at("sigma"), 0.0) << row;
    EXPECT_GT(row.at("clock").get<double>(), 0.0) << row;
    if (row.at("median").is_null()) continue;  // the machine was busy with something else
    EXPECT_GT(row.at("median"), 0.0) << row;
    EXPECT_TRUE(row.at("min").is_null() || row.at("min") <= row.at("median")) << row;
    EXPECT_TRUE(row.at("max").is_null() || row.at("max") >= row.at("median")) << row;
  }
  return rows;
}

/// Times of runs whose repetitions take 3 us each, besides 50 us for all.
app::repeated_runs even_runs(std::vector<double> late) {
  app::repeated_runs runs;
  runs.many = 1000, runs.few = 100;
  for (const double by : late) {
    runs.many_s.push_back(50e-6 + 1000 * 3e-6 + by);
    runs.few_s.push_back(50e-6 + 100 * 3e-6);
  }
  return runs;
}

TEST(measure_statistics, the_difference_is_free_of_what_repetitions_cost_together) {
  const auto t = app::by_difference(even_runs({0, 0, 0}));
  EXPECT_NEAR(t.median, 3e-6, 1e-15);
  EXPECT_NEAR(t.min, 3e-6, 1e-15);
  EXPECT_NEAR(t.max, 3e-6, 1e-15);
  EXPECT_NEAR(t.sigma, 0, 1e-15);
  EXPECT_NEAR(t.clock, 3.05e-6, 1e-15);  // the clock is not
  EXPECT_FALSE(app::methods_disagree(t));
}

TEST(measure_statistics, spread_is_that_of_equation_3_5) {
  auto runs = even_runs({0, 9e-6, 18e-6});
  runs.few_s = {300e-6, 302e-6, 304e-6};
  const auto t = app::by_difference(runs);
  EXPECT_NEAR(t.median, (3059e-6 - 302e-6) / 900, 1e-15);
  EXPECT_NEAR(t.min, (3050e-6 - 302e-6) / 900, 1e-15);
  EXPECT_NEAR(t.max, (3068e-6 - 302e-6) / 900, 1e-15);
  EXPECT_NEAR(t.sigma, std::sqrt(81e-12 + 4e-12) / 900, 1e-15);
}

TEST(measure_statistics, methods_disagree_beyond_five_percent) {
  app::repetition_time t;
  t.median = 1e-6;
  for (const auto& [clock, disagree] :
       {std::pair(1.04e-6, false), {1.06e-6, true}, {0.96e-6, false}, {0.94e-6, true}}) {
    t.clock = clock;
    EXPECT_EQ(app::methods_disagree(t), disagree) << clock;
  }
}

TEST(measure_statistics, medians) {
  EXPECT_EQ(app::median_of({3, 1, 2}), 2);
  EXPECT_EQ(app::median_of({4, 1, 2, 3}), 2.5);
}

TEST(cli_measure, synchronisation_by_threads) {
  std::map<std::string, std::vector<int>> threads;
  for (const json& row : measured_rows({"--only", "sync", "--threads", "3"})) {
    EXPECT_EQ(row.at("group"), "sync");
    EXPECT_EQ(row.at("unit"), "s");
    EXPECT_TRUE(row.at("footprint_bytes").is_null());
    threads[row.at("probe")].push_back(row.at("threads"));
  }
  const std::vector<int> all = {1, 2, 3}, together = {2, 3};
  EXPECT_EQ(threads.at("launch"), all);
  EXPECT_EQ(threads.at("dwell barrier"), all);
  EXPECT_EQ(threads.at("std::barrier"), all);
  EXPECT_EQ(threads.at("neighbour flags"), together);
  // Where the build has OpenMP.
  EXPECT_TRUE(!threads.contains("openmp barrier") || threads.at("openmp barrier") == all);
}

TEST(cli_measure, memory_by_footprint) {
  std::map<std::pair<std::string, int>, std::vector<double>> footprints;
  for (const json& row :
       measured_rows({"--only", "memory", "--threads", "2", "--footprint", "1"})) {
    EXPECT_EQ(row.at("group"), "memory");
    EXPECT_EQ(row.at("unit"), "bytes/s");
    footprints[{row.at("probe"), row.at("threads")}].push_back(row.at("footprint_bytes"));
  }
  std::vector<double> doubling;
  for (double bytes = 4096; bytes <= 1 << 20; bytes *= 2) doubling.push_back(bytes);
  ASSERT_EQ(footprints.size(), 4u);
  for (const auto& [which, found] : footprints) EXPECT_EQ(found, doubling) << which.first;
}

TEST(cli_measure, latency_by_footprint) {
  const auto rows = measured_rows({"--only", "latency", "--footprint", "1"});
  EXPECT_EQ(rows.size(), 9u);
  for (const json& row : rows) {
    EXPECT_EQ(row.at("probe"), "load");
    EXPECT_EQ(row.at("unit"), "s");
    EXPECT_EQ(row.at("threads"), 1);
  }
}

/// Dozens of multiply-adds are under way where none needs another: far more than one of them is
/// done in the time of one of a chain.
TEST(cli_measure, arithmetic_that_is_independent_is_faster) {
  std::map<std::string, double> value;
  for (const json& row : measured_rows({"--only", "arithmetic", "--threads", "1"})) {
    ASSERT_FALSE(row.at("median").is_null()) << row;
    value[row.at("probe")] = row.at("median");
  }
  for (const std::string type : {"fma f64", "fma f32"}) {
    EXPECT_GT(value.at(type) * value.at(type + " latency"), 1) << type;
  }
}

TEST(cli_measure, reductions_by_size) {
  std::map<std::pair<std::string, double>, std::vector<double>> footprints;
  for (const json& row :
       measured_rows({"--only", "reductions", "--threads", "2", "--footprint", "1"})) {
    EXPECT_EQ(row.at("group"), "reductions");
    EXPECT_EQ(row.at("unit"), "s");
    if (row.at("threads") == 1)
      footprints[{row.at("probe"), row.at("load_bytes")}].push_back(row.at("footprint_bytes"));
  }
  for (const char* probe : {"sum, dwell", "sum, std::reduce"})
    for (const double bytes : {8.0, 4.0}) {
      const auto& found = footprints.at({probe, bytes});
      EXPECT_EQ(found.front(), bytes) << probe;
      EXPECT_EQ(found[1], 32 * bytes) << probe;
      EXPECT_EQ(found.back(), 1 << 20) << probe;
    }
}

TEST(cli_measure, groups_are_measured_in_the_order_of_the_list) {
  std::vector<std::string> groups;
  for (const json& row :
       measured_rows({"--only", "arithmetic,latency", "--threads", "1", "--footprint", "1"}))
    if (groups.empty() || groups.back() != row.at("group").get<std::string>())
      groups.push_back(row.at("group"));
  EXPECT_EQ(groups, (strings{"latency", "arithmetic"}));
}

TEST(cli_measure, csv_has_the_same_names) {
  const auto r = dwell_cli(measured({"--only", "arithmetic", "--threads", "1", "--csv", "-"}));
  EXPECT_EQ(r.code, 0) << r.err;
  const auto fields = documented_fields().at("measure");
  std::set<std::string> expected, found;
  for (const auto& [name, type] : fields)
    if (name.starts_with("rows[].")) expected.insert(name.substr(7));
  const auto lines = lines_of(r.out);
  ASSERT_GE(lines.size(), 2u);
  std::string word;
  for (const char c : lines[0] + ",") {
    if (c != ',') {
      word += c;
      continue;
    }
    found.insert(word);
    word.clear();
  }
  EXPECT_EQ(found, expected);
}

/// What was measured is what runs are planned with.
TEST(cli_measure, saved_facts_are_read) {
  const scratch_folder in;
  const auto r = dwell_cli(measured({"--threads", "1", "--footprint", "1", "--only",
                                     "sync,memory,arithmetic", "--save", in("here.json")}));
  ASSERT_EQ(r.code, 0) << r.err;
  const auto facts = json::parse(read_text(in("here.json")));
  EXPECT_EQ(complaints_about(facts, documented_fields().at("device facts")), strings{});
  EXPECT_EQ(facts.at("measured"), true);
  EXPECT_EQ(facts.at("units"), 1);
  EXPECT_GT(facts.at("source").size(), 8u);
  for (const strings& reader :
       {strings{"cg", "trefethen:20", "--executor", "perks", "--policy", "model"},
        strings{"explain", "cg", "trefethen:20"},
        strings{"stencil", "2d5pt", "--size", "9x9", "--steps", "2"},
        strings{"compare", "cg", "trefethen:20", "--no-peers", "--repetitions", "1"}}) {
    auto args = reader;
    if (reader.front() != "explain") args.insert(args.end(), {"--device", "cpu", "--threads", "1"});
    args.insert(args.end(), {"--device-facts", in("here.json")});
    const auto read = dwell_cli(args);
    EXPECT_EQ(read.code, 0) << reader.front() << ": " << read.err;
  }
}

TEST(cli_measure, an_interrupt_keeps_the_rows_before_it) {
  const scratch_folder in;
  cli_setting setting;
  setting.terminal = true;
  setting.signal = SIGINT;
  setting.signal_when = [](const std::string& err) {
    return err.find("std::barrier") != std::string::npos;
  };
  const auto r = dwell_cli({"measure", "--device", "cpu", "--threads", "2", "--json", in("m.json"),
                            "--save", in("facts.json")},
                           setting);
  EXPECT_EQ(r.code, 130);
  EXPECT_TRUE(holds(r.err, "interrupted; the rows measured before it are complete")) << r.err;
  EXPECT_TRUE(holds(r.err, "facts.json is not written")) << r.err;
  EXPECT_EQ(in.files(), strings{"m.json"});
  const auto j = json::parse(read_text(in("m.json")));
  EXPECT_EQ(j.at("interrupted"), true);
  EXPECT_GE(j.at("rows").size(), 4u);  // launches and Dwell's own barrier come first
  for (const json& row : j.at("rows")) EXPECT_EQ(row.at("group"), "sync");
}

TEST(cli_measure, what_cannot_be_written_costs_nothing_else) {
  const scratch_folder in;
  const auto r = dwell_cli(measured(
      {"--only", "arithmetic", "--threads", "1", "--json", "/dev/full", "--csv", in("m.csv")}));
  EXPECT_EQ(r.code, 1);
  EXPECT_TRUE(holds(r.err, "/dev/full")) << r.err;
  EXPECT_TRUE(holds(r.out, "fma f64")) << r.out;
  EXPECT_EQ(lines_of(read_text(in("m.csv"))).size(), 6u);  // the heads, and five rows
}

/// Each case is a process of its own, which ends though its kernel may not.
TEST(cli_measure, barriers_of_threads_that_are_not_together) {
  const auto r =
      dwell_cli({"measure", "--device", "cuda", "--quiet", "--only", "divergence", "--json", "-"});
  if (r.code != 0) GTEST_SKIP() << r.err;
  const json found = r.json();
  EXPECT_TRUE(found.at("rows").empty());
  std::map<std::pair<std::string, std::string>, std::string> outcomes;
  for (const json& b : found.at("barriers")) {
    const std::string outcome = b.at("outcome");
    EXPECT_FALSE(outcome.starts_with("failed")) << b;
    if (outcome == "holds") {
      EXPECT_GE(b.at("departure_cycles"), 0) << b;
    }
    outcomes[{b.at("barrier"), b.at("meeting")}] = outcome;
  }
  EXPECT_GE(outcomes.size(), 14u);
  // What CUDA promises: barriers for a part of the threads do not wait for the others.
  EXPECT_EQ(outcomes.at({"warp, by a mask of 16", "16 of 32 lanes"}), "passes");
  EXPECT_EQ(outcomes.at({"named barrier of 64", "2 of 4 warps"}), "passes");
}

TEST(cli_measure, a_barrier_case_is_not_for_users) {
  const auto help = dwell_cli({"measure", "--help"});
  EXPECT_TRUE(holds(help.out, "divergence")) << help.out;
  EXPECT_FALSE(holds(help.out, "barrier-case")) << help.out;
  EXPECT_FALSE(holds(dwell_cli({"man", "measure", "--format", "markdown"}).out, "barrier-case"));
  expect_refused({"measure", "--device", "cpu", "--only", "divergence"},
                 "no such probes for CPUs in this build");
}

/// Without CUDA in the build there are no probes, without a GPU there is nothing to measure.
TEST(cli_measure, a_gpu_is_measured_where_there_is_one) {
  const auto r = dwell_cli({"measure", "--device", "cuda", "--quiet", "--footprint", "256",
                            "--only", "sync,memory,latency,arithmetic", "--json", "-"});
  if (r.code != 0) {
    EXPECT_EQ(lines_of(r.err).size(), 1u);
    EXPECT_TRUE(holds(r.err, "measure: no probes for GPUs in this build; use --device cpu") ||
                holds(r.err, "no CUDA device"));
    GTEST_SKIP() << r.err;
  }
  std::map<std::string, std::vector<json>> rows;
  const json found = r.json();
  for (const json& row : found.at("rows")) {
    EXPECT_GT(row.at("clock").get<double>(), 0.0) << row;
    EXPECT_FALSE(row.at("median").is_null()) << row;
    EXPECT_TRUE(row.at("min").is_null() || row.at("min") <= row.at("median")) << row;
    EXPECT_TRUE(row.at("max").is_null() || row.at("max") >= row.at("median")) << row;
    rows[row.at("probe")].push_back(row);
  }
  for (const char* probe :
       {"launch, stream", "launch, graph", "launch, cooperative", "shuffle 64 bits",
        "block barrier", "cooperative grid barrier", "dwell grid barrier", "neighbour flags",
        "read", "copy", "shared read", "load", "fma f64"})
    EXPECT_TRUE(rows.contains(probe)) << probe;
  // Kernels of growing work, under each kind of launch; and kernels of nothing that are waited for.
  for (const char* kind : {"stream", "graph", "cooperative", "cluster", "dependent"}) {
    if (!rows.contains(std::string("launch, ") + kind)) continue;  // an older GPU
    std::vector<double> works;
    for (const json& row : rows.at(std::string("launch, ") + kind))
      works.push_back(row.at("work_s"));
    EXPECT_EQ(works, (std::vector<double>{0, 1e-6, 2e-6, 4e-6, 8e-6})) << kind;
    const bool stream = std::string(kind) == "stream";
    EXPECT_EQ(rows.at(stream ? "launch and wait" : std::string("launch and wait, ") + kind).size(),
              1u)
        << kind;
  }
  // Latency and throughput of tiles of 1 to 32 threads, of eight sizes of coalesced groups.
  EXPECT_EQ(rows.at("tile barrier").size(), 12u);
  EXPECT_EQ(rows.at("coalesced barrier").size(), 16u);
  EXPECT_EQ(rows.at("coalesced shuffle").size(), 16u);
  // Blocks of a multiprocessor by threads of a block; more warps meet more often.
  const auto& meetings = rows.at("block barrier, throughput");
  EXPECT_GE(meetings.size(), 12u);
  EXPECT_GT(meetings[1].at("median"), meetings[0].at("median"));
  for (const char* type : {"fma f64, under way", "fma f32, under way"}) {
    const auto& all = rows.at(type);
    EXPECT_EQ(all.front().at("loads"), 1);
    EXPECT_EQ(all.back().at("loads"), 8);
    EXPECT_GT(all.back().at("median"), all.front().at("median")) << type;
  }
  // By logic: independent operations overlap.
  EXPECT_GT(rows.at("fma f64").back().at("median").get<double>() *
                rows.at("fma f64 latency").back().at("median").get<double>(),
            1000);
}

TEST(cli_measure, what_a_gpu_needs_under_way_where_there_is_one) {
  const auto r = dwell_cli({"measure", "--device", "cuda", "--quiet", "--footprint", "256",
                            "--only", "latency,concurrency", "--json", "-"});
  if (r.code != 0) {
    EXPECT_TRUE(holds(r.err, "measure: no probes for GPUs in this build; use --device cpu") ||
                holds(r.err, "no CUDA device"))
        << r.err;
    GTEST_SKIP() << r.err;
  }
  const json found = r.json();
  std::map<std::string, double> needed;
  for (const json& row : found.at("parallelism")) {
    EXPECT_LE(row.at("best_bytes_per_s"), row.at("peak_bytes_per_s")) << row;
    EXPECT_GT(row.at("littles_law_bytes").get<double>(), 0.0) << row;
    if (row.at("load_bytes") == 8 && !row.at("at_80_percent_bytes").is_null())
      needed[row.at("probe")] = row.at("at_80_percent_bytes");
  }
  for (const char* probe : {"plain read", "plain read, L2", "plain read, shared", "plain copy"})
    EXPECT_TRUE(needed.contains(probe)) << probe;
}

TEST(cli_measure, a_gpu_sums_up_where_there_is_one) {
  const auto r = dwell_cli({"measure", "--device", "cuda", "--quiet", "--footprint", "1", "--only",
                            "reductions", "--json", "-"});
  if (r.code != 0) {
    EXPECT_TRUE(holds(r.err, "measure: no probes for GPUs in this build; use --device cpu") ||
                holds(r.err, "no CUDA device"))
        << r.err;
    GTEST_SKIP() << r.err;
  }
  const json found = r.json();
  std::map<std::string, std::vector<json>> rows;
  for (const json& row : found.at("rows")) rows[row.at("probe")].push_back(row);
  for (const char* probe :
       {"sum of 32, one thread", "sum of 32, cg::reduce", "sum in a block", "sum, dwell",
        "sum, dwell, awaited", "sum, CUB", "sum, Thrust", "sum, two launches", "sum, graph"})
    EXPECT_TRUE(rows.contains(probe)) << probe;
  EXPECT_EQ(rows.at("sum, dwell").size(), rows.at("sum, CUB").size());
  ASSERT_FALSE(found.at("switching").empty());
  EXPECT_EQ(found.at("switching").back().at("many_threads"), 1024);
}

TEST(cli_measure, its_document_is_as_documented) {
  const auto fields = documented_fields().at("measure");
  const auto r = dwell_cli({"measure", "--device", "cpu", "--threads", "1", "--only", "arithmetic",
                            "--quiet", "--json", "-"});
  EXPECT_EQ(complaints_about(r.json(), fields), strings{});
  // What only a GPU has.
  std::set<std::string> met;
  const auto gpu = json::parse(app::to_json(measured_on_small_gpu()).dump());
  EXPECT_EQ(complaints_about(gpu, fields, &met), strings{});
  for (const auto& [field, type] : fields) EXPECT_TRUE(met.contains(field)) << field;
}

TEST(cli_measure, bad_command_lines) {
  expect_refused({"measure", "--only", "snyc"}, "found 'snyc'; did you mean 'sync'?");
  expect_refused({"measure", "--only", "sync,sync"}, "expected each word once");
  expect_refused({"measure", "--device", "cpu", "--only", "concurrency"},
                 "measure: no such probes for CPUs in this build");
  expect_refused(
      {"measure", "--device", "cpu", "--only", "sync", "--save", "/tmp/none.json"},
      "--save: expected groups sync, memory, arithmetic to be measured, found --only sync");
  expect_refused({"measure", "--device", "cpu", "--footprint", "2147483647"},
                 "--footprint: expected at most half of the free memory", 4);
  expect_refused({"measure", "--device", "cpu", "--json", "/no/such/folder/m.json"}, "no folder");
}

}  // namespace
}  // namespace dwell::test
