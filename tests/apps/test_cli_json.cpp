// SPDX-License-Identifier: MIT
// docs/reference/json.md and the JSON of the command agree: in each document of a kind are the
// fields that the page lists for it, of their types, and no others.
#include <gtest/gtest.h>

#include "cli_runner.hpp"
#include "dwell/version.hpp"
#include "json_reference.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

const std::map<std::string, json_fields>& reference() {
  static const auto all = documented_fields();
  return all;
}

/// Runs each of these, which write a document of `kind`, or `document`, which has its table;
/// together they show all of its fields.
void expect_documented(const std::string& kind, const std::vector<strings>& commands,
                       const std::string& document = {}) {
  ASSERT_TRUE(reference().contains(kind)) << kind;
  const auto& fields = reference().at(kind);
  std::set<std::string> met;
  for (auto args : commands) {
    const bool compares = args.front() == "compare";
    args.insert(args.end(), {compares ? "--format" : "--json", compares ? "json" : "-"});
    const auto r = dwell_cli(args);
    ASSERT_FALSE(r.out.empty()) << kind << ": " << r.err;
    const auto j = r.json();
    EXPECT_EQ(j.at("schema"), 1);
    EXPECT_EQ(j.at("version"), DWELL_VERSION_STRING);
    EXPECT_EQ(j.at("document"), document.empty() ? kind : document);
    EXPECT_EQ(complaints_about(j, fields, &met), strings{}) << kind;
  }
  for (const auto& [field, type] : fields)
    EXPECT_TRUE(met.contains(field)) << kind << ": no document has " << field;
}

TEST(cli_json, the_page_lists_all_documents) {
  std::set<std::string> kinds;
  for (const auto& [kind, fields] : reference()) kinds.insert(kind);
  EXPECT_EQ(kinds, (std::set<std::string>{"cg",
                                          "stencil",
                                          "convolve",
                                          "compare cg",
                                          "compare solve",
                                          "compare stencil",
                                          "compare convolve",
                                          "device facts",
                                          "explain cg",
                                          "explain convolve",
                                          "explain grid",
                                          "explain stencil",
                                          "explain stencil fields",
                                          "grid",
                                          "info",
                                          "info matrix",
                                          "info stencil",
                                          "info stencil fields",
                                          "stencil fields",
                                          "kernels clear",
                                          "kernels list",
                                          "kernels warm",
                                          "measure",
                                          "model ebisu",
                                          "model perks",
                                          "model roofline",
                                          "model tensor",
                                          "model scaling",
                                          "model sweep",
                                          "trace"}));
}

TEST(cli_json, grids) {
  expect_documented("grid",
                    {{"grid", "12x15"},
                     {"grid", "12", "--k-axes", "2", "--max-iterations", "1", "--method", "jacobi"},
                     {"grid", "12x15", "--ranks", "2"},
                     {"grid", "4x5x6", "--boundary", "neumann", "--precision", "f32"}});
  expect_documented("explain grid", {{"explain", "grid", "30x40"},
                                     {"explain", "grid", "9x9", "--preconditioner", "none"}});
}

TEST(cli_json, solve) {
  const auto cpu = [](strings args) {
    args.insert(args.begin(), "solve");
    args.insert(args.end(), {"--device", "cpu", "--threads", "2"});
    return args;
  };
  expect_documented("cg",
                    {cpu({"convection2d:9x9:5"}), cpu({"trefethen:50", "--ranks", "2"}),
                     cpu({"helmholtz2d:31x23:1.2", "--preconditioner", "jacobi"}),
                     cpu({"convection2d:9x9:5", "--solver", "bicgstab", "--max-iterations", "2"})},
                    "solve");
  const auto j = dwell_cli(cpu({"helmholtz2d:31x23:1.2", "--json", "-"})).json();
  EXPECT_EQ(j.at("solver"), "minres");
  EXPECT_TRUE(holds(j.at("solver_reason").get<std::string>(), "cg broke down after"));
  const auto text = dwell_cli(cpu({"convection2d:9x9:5"})).out;
  EXPECT_TRUE(holds(text, ": stabilised bi-conjugate gradients\n"));
  EXPECT_TRUE(holds(text, "\nsolver           bicgstab: the matrix is not symmetric\n"));
  const auto broken = dwell_cli(cpu({"helmholtz2d:31x23:1.2", "--solver", "cg"}));
  EXPECT_EQ(broken.code, 3);
  EXPECT_TRUE(holds(broken.err, "the matrix is not positive definite: try method minres"));
}

TEST(cli_json, cg) {
  const scratch_folder in;
  const auto wild = in.write("wild.mtx", two_by_two(1, 2, 1));
  const auto cpu = [](strings args) {
    args.insert(args.begin(), "cg");
    args.insert(args.end(), {"--device", "cpu", "--threads", "2"});
    return args;
  };
  expect_documented("cg", {cpu({"trefethen:200"}), cpu({"trefethen:50", "--ranks", "2"}),
                           cpu({wild}), cpu({wild, "--rhs", "ones"}),
                           cpu({"trefethen:50", "--policy", "measured", "--executor", "perks"}),
                           cpu({"trefethen:50", "--history", in("h.csv"), "-o", in("x.mtx"),
                                "--preconditioner", "jacobi", "--max-iterations", "2"})});
}

TEST(cli_json, several_right_hand_sides) {
  const auto solved = [](const strings& more) {
    strings args = {"cg",
                    "poisson2d:20x20",
                    "--preconditioner",
                    "none",
                    "--device",
                    "cpu",
                    "--threads",
                    "2",
                    "--json",
                    "-"};
    args.insert(args.end(), more.begin(), more.end());
    return dwell_cli(args);
  };
  const auto one = solved({}).json().at("right_hand_sides");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].at("together"), 1);
  const auto r = solved({"--rhs-count", "7"});
  EXPECT_EQ(r.code, 0) << r.err;
  const auto all = r.json().at("right_hand_sides");
  ASSERT_EQ(all.size(), 7u);
  for (const auto& column : all) {
    EXPECT_EQ(column.at("stop_reason"), "converged");
    EXPECT_LE(column.at("relative_true").get<double>(), 1.1e-8);
  }
  EXPECT_GT(all[0].at("together").get<int>(), 1) << "a CPU saves bytes";
  EXPECT_EQ(all[6].at("together"), 1);
  EXPECT_EQ(solved({"--rhs-count", "7"}).json().at("right_hand_sides")[5].at("iterations"),
            all[5].at("iterations"))
      << "random, and the same in every run";
  const auto phases = solved({"--rhs-count", "3", "--executor", "host-loop"}).json();
  EXPECT_EQ(phases.at("right_hand_sides")[0].at("together"), 2);
  const auto apart = solved({"--rhs-count", "3", "--executor", "perks"}).json();
  for (const auto& column : apart.at("right_hand_sides")) EXPECT_EQ(column.at("together"), 1);
  const auto limited = solved({"--rhs-count", "2", "--max-iterations", "3"});
  EXPECT_EQ(limited.code, 2);
  EXPECT_TRUE(
      holds(limited.err, "2 of 2 right-hand sides did not converge; the first of them, number 1: "))
      << limited.err;
  // Iterations of the first one.
  const std::string enough = std::to_string(all[0].at("iterations").get<int>());
  const auto some = solved({"--rhs-count", "7", "--max-iterations", enough});
  std::size_t failed = 0, first = 0;
  const auto ended = some.json().at("right_hand_sides");
  for (std::size_t k = ended.size(); k-- > 0;)
    if (ended[k].at("stop_reason") != "converged") ++failed, first = k + 1;
  EXPECT_EQ(some.code, 2);
  EXPECT_GT(first, 1u) << "that of ones takes fewer than random ones";
  EXPECT_TRUE(holds(some.err, std::to_string(failed) +
                                  " of 7 right-hand sides did not converge; "
                                  "the first of them, number " +
                                  std::to_string(first) + ": "))
      << some.err;
  expect_refused({"cg", "poisson2d:20x20", "--rhs-count", "0"}, "--rhs-count");
}

TEST(cli_json, stencil) {
  const scratch_folder in;
  const auto cpu = [](strings args) {
    args.insert(args.begin(), {"stencil", "2d5pt"});
    args.insert(args.end(), {"--device", "cpu", "--threads", "2"});
    return args;
  };
  expect_documented(
      "stencil",
      {cpu({"--size", "20x30", "--steps", "3"}), cpu({"--size", "9x9", "--until", "1e-3"}),
       cpu({"--size", "20x30", "--steps", "3", "--ranks", "2"}),
       cpu({"--size", "40x40", "--steps", "4", "--executor", "perks", "-o", in("u.npy")}),
       cpu({"--size", "5x5", "--steps", "400", "--boundary", "periodic", "--weights",
            "1e10,0,0,0,0"})});
}

TEST(cli_json, stencil_fields) {
  const scratch_folder in;
  const auto file = in.write(
      "heat.toml",
      "fields = \"u\"\nparameters = \"r\"\nboundary = \"reflect\"\nstep = \"u = u + r * (u[-1, 0] "
      "+ "
      "u[1, 0] + u[0, -1] + u[0, 1] - 4 * u)\"\n[values]\nu = \"hot-spot\"\nr = 0.2\n[run]\nsize = "
      "\"20x30\"\nsteps = 10\n[reductions]\nevery = 5\nu = [\"sum\", \"change-norm-max\"]\n"
      "[until]\nu = {norm1 = 1e-9}\n");
  expect_documented("stencil fields", {{"stencil", file, "-o", in("u.npy")},
                                       {"stencil", file, "--set", "r=1e300"},
                                       {"stencil", file, "--precision", "f32", "--steps", "2"}});
}

TEST(cli_json, compare_cg) {
  const scratch_folder in;
  const auto refused = in.write("refused.mtx", two_by_two(-1, 0, 1));
  const auto cpu = [](strings args) {
    args.insert(args.begin(), {"compare", "cg"});
    args.insert(args.end(), {"--device", "cpu", "--threads", "2", "--repetitions", "1"});
    return args;
  };
  expect_documented("compare cg", {cpu({"trefethen:50", "trefethen:60", "--iterations", "5"}),
                                   cpu({"trefethen:50", refused, "--rtol", "1e-6", "--no-peers"}),
                                   cpu({"trefethen:50", "--iterations", "5", "--ranks", "1,2"})});
}

TEST(cli_json, compare_solve) {
  const scratch_folder in;
  const auto refused =
      in.write("refused.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 1\n1 1 1\n");
  const auto cpu = [](strings args) {
    args.insert(args.begin(), {"compare", "solve"});
    args.insert(args.end(), {"--device", "cpu", "--threads", "2", "--repetitions", "1"});
    return args;
  };
  expect_documented("compare solve",
                    {cpu({"poisson2d:9x9", "convection2d:9x9:5", "--solvers", "auto,gmres"}),
                     cpu({"trefethen:50", refused, "--no-peers", "--preconditioners", "none"})});
}

TEST(cli_json, compare_stencil) {
  const auto cpu = [](strings args) {
    args.insert(args.begin(), {"compare", "stencil", "2d5pt"});
    args.insert(args.end(), {"--device", "cpu", "--threads", "2", "--repetitions", "1", "--steps",
                             "3", "--policies", "none,auto"});
    return args;
  };
  expect_documented("compare stencil",
                    {cpu({"--size", "20x30"}), cpu({"--size", "1000000x1000000,8x8"}),
                     cpu({"--size", "20x30", "--ranks", "2,1"})});
}

TEST(cli_json, explain_convolve) {
  const strings at = {"explain", "convolve", "--size", "4096x4096", "--filter"};
  const auto with = [&](strings args) {
    args.insert(args.begin(), at.begin(), at.end());
    return args;
  };
  expect_documented("explain convolve",
                    {with({"box:9", "--device-facts", "h100"}),
                     with({"gaussian:31", "--cells", "u8", "--device", "cpu"}),
                     with({"gaussian:31", "--cells", "f64", "--algorithm", "shared", "--passes",
                           "one", "--device-facts", "v100"})});
}

TEST(cli_json, convolve) {
  const scratch_folder in;
  const auto image = in.write("image.pgm", std::string("P5 4 3 255\n") + "abcdefghijkl");
  expect_documented("convolve", {{"convolve", image, "--filter", "gaussian:5", "--device", "cpu"},
                                 {"convolve", image, "--filter", "sobel-x", "--device", "cpu", "-o",
                                  in("out.png")}});
  expect_documented("compare convolve",
                    {{"compare", "convolve", "--size", "20x30,9x9", "--filter", "box:3,gaussian:15",
                      "--device", "cpu", "--repetitions", "1"},
                     {"compare", "convolve", "--size", "1000000x1000000,8x8", "--filter", "box:3",
                      "--device", "cpu", "--repetitions", "1"}});
}

TEST(cli_json, explain) {
  const strings cpu = {"--device", "cpu", "--threads", "2"};
  const auto with = [](strings args, const strings& more) {
    args.insert(args.end(), more.begin(), more.end());
    return args;
  };
  std::vector<strings> systems = {
      with({"explain", "cg", "trefethen:200"}, cpu),
      with({"explain", "cg", "poisson2d:20x20", "--preconditioner", "amg"}, cpu)};
  if (dwell_cli({"info", "--json", "-"}).json().at("build").at("cuda") == true)
    for (const auto* size : {"poisson2d:300x300", "trefethen:2000"})
      systems.push_back({"explain", "cg", size, "--device-facts", "h200"});
  expect_documented("explain cg", systems);
  expect_documented(
      "explain stencil",
      {with({"explain", "stencil", "2d5pt", "--size", "64x200"}, cpu),
       {"explain", "stencil", "2d5pt", "--size", "1320x1200", "--device-facts", "h200"},
       {"explain", "stencil", "3d7pt", "--size", "48x352x256", "--device-facts", "h200"}});
}

TEST(cli_json, info) {
  const scratch_folder in;
  expect_documented("info", {{"info", "--device", "cpu"}});
  expect_documented("info matrix",
                    {{"info", "trefethen:20"}, {"info", in.write("a.mtx", two_by_two(0, -1, -3))}});
  expect_documented("info stencil", {{"info", "2d5pt"}, {"info", "gradient2d"}});
  expect_documented("info stencil fields", {{"info", "fdtd"}, {"info", "heat1d"}});
}

TEST(cli_json, projections) {
  expect_documented("model perks", {{"model", "perks", "--size", "9x9", "--cached", "9"},
                                    {"model", "perks", "--size", "9x9", "--cached", "9",
                                     "--parallelism", "1", "--concurrency", "2"}});
  expect_documented("model ebisu", {{"model", "ebisu", "2d5pt"},
                                    {"model", "ebisu", "3d7pt", "--tiling", "device"}});
  expect_documented("model roofline", {{"model", "roofline", "3d7pt"}});
  expect_documented("model tensor",
                    {{"model", "tensor", "2d9pt"}, {"model", "tensor", "3d7pt", "--on", "v100"}});
}

TEST(cli_json, model_sweep) {
  expect_documented("model sweep", {{"model", "sweep", "2d5pt"}, {"model", "sweep", "3d7pt"}});
}

TEST(cli_json, model_scaling) {
  expect_documented("model scaling",
                    {{"model", "scaling", "cg", "--size", "64x64", "--gpus", "1,2,128"},
                     {"model", "scaling", "3d7pt", "--size", "64x64x64", "--weak", "--gpus", "1,4",
                      "--one-gpu", "10"}});
}

TEST(cli_json, trace) {
  expect_documented("trace", {{"trace", "2d5pt", "--size", "12x20", "--cache", "1KiB"},
                              {"trace", "product", "--size", "9x9", "--orders", "columns:4",
                               "--line", "32", "--cache", "1KiB:4"}});
}

/// The heads of CSV are the fields of a subject and of a run.
TEST(cli_json, csv_has_the_same_names) {
  const auto expect_heads = [](const strings& args, const std::string& kind,
                               const std::string& subject, const std::string& list) {
    strings expected;
    for (const auto& [field, type] : reference().at(kind)) {
      const std::string of_run = list + "[].runs[].", of_subject = list + "[].";
      if (field.starts_with(of_run))
        expected.push_back(field.substr(of_run.size()));
      else if (field.starts_with(of_subject))
        expected.push_back(subject + "." + field.substr(of_subject.size()));
    }
    auto all = args;
    all.insert(all.end(), {"--device", "cpu", "--repetitions", "1", "--format", "csv"});
    const auto head = lines_of(dwell_cli(all).out).at(0);
    strings found(1);
    for (const char c : head) c == ',' ? found.emplace_back() : found.back() += c;
    std::sort(expected.begin(), expected.end());
    std::sort(found.begin(), found.end());
    EXPECT_EQ(found, expected) << kind;
  };
  expect_heads({"compare", "cg", "trefethen:20", "--no-peers"}, "compare cg", "matrix", "matrices");
  expect_heads({"compare", "solve", "trefethen:20"}, "compare solve", "matrix", "matrices");
  expect_heads({"compare", "stencil", "2d5pt", "--size", "8x8"}, "compare stencil", "stencil",
               "stencils");
  expect_heads({"compare", "convolve", "--size", "8x8", "--filter", "box:3"}, "compare convolve",
               "convolution", "convolutions");
}

/// The judge itself: a field too much, one too few and one of another type are seen.
TEST(cli_json, what_is_not_as_documented_is_seen) {
  const json_fields fields = {
      {"a", "integer"}, {"b.c", "string or null"}, {"d[].e", "number"}, {"f", "array of string"}};
  const auto good = nlohmann::json::parse(
      R"({"a": 1, "b": {"c": null}, "d": [{"e": 1.5}, {"e": 2}], "f": ["x"]})");
  EXPECT_EQ(complaints_about(good, fields), strings{});
  const auto changed = [&](const char* where, const nlohmann::json& value) {
    auto bad = good;
    bad[nlohmann::json::json_pointer(where)] = value;
    return complaints_about(bad, fields);
  };
  EXPECT_EQ(changed("/b/g", 1), strings{"b.g: not documented"});
  EXPECT_EQ(changed("/d/1", nlohmann::json::object()), strings{"d[].e: missing"});
  EXPECT_EQ(changed("/a", 1.5), strings{"a: expected integer, found 1.5"});
  EXPECT_EQ(changed("/a", nullptr), strings{"a: expected integer, found null"});
  EXPECT_EQ(changed("/b", nullptr), strings{"b: not documented"});
  EXPECT_EQ(changed("/f/0", 7), strings{"f: expected array of string, found [7]"});
}

}  // namespace
}  // namespace dwell::test
