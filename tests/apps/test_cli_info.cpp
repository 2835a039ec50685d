// SPDX-License-Identifier: MIT
// `dwell info` of machines and of matrices of any shape, and `dwell generate`.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "cli_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/version.hpp"

namespace dwell::test {
namespace {

struct looked_at {
  std::string text;
  nlohmann::json json;
};

/// The report and the JSON of `dwell info` on a file with this text.
looked_at info(const std::string& text) {
  const scratch_folder in;
  const auto r = dwell_cli({"info", in.write("m.mtx", text), "--json", in("m.json")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  return {r.out, nlohmann::json::parse(read_text(in("m.json")))};
}

TEST(cli_info, machine) {
  const auto text = dwell_cli({"info"});
  EXPECT_EQ(text.code, 0) << text.err;
  for (const auto* part : {"dwell " DWELL_VERSION_STRING, "build", "CUDA", "cpu", "memory",
                           "problem", "cg", "host-loop", "persistent", "policies"})
    EXPECT_TRUE(holds(text.out, part));
  const auto j = dwell_cli({"info", "--json", "-", "--threads", "3"}).json();
  EXPECT_EQ(j.at("devices").at(0).at("id"), "cpu");
  EXPECT_EQ(j.at("devices").at(0).at("units"), 3);
  EXPECT_EQ(j.at("devices").size(), 1 + j.at("cuda_devices").get<std::size_t>());
  EXPECT_EQ(j.at("cuda_reason").is_null(), j.at("cuda_devices") != 0);
  const auto has = [&](const nlohmann::json& variant) {
    const auto& all = j.at("variants");
    return std::find(all.begin(), all.end(), variant) != all.end();
  };
  EXPECT_TRUE(has({{"problem", "cg"},
                   {"executor", "host-loop"},
                   {"precision", "f64"},
                   {"backend", "cpu"},
                   {"shape", nullptr},
                   {"compiled_ahead", true}}))
      << j.at("variants");
  for (const auto* executor : {"naive", "host-loop", "persistent", "perks"})
    for (const auto* precision : {"f32", "f64"})
      EXPECT_TRUE(has({{"problem", "stencil"},
                       {"executor", executor},
                       {"precision", precision},
                       {"backend", "cpu"},
                       {"shape", "2d5pt"},
                       {"compiled_ahead", true}}))
          << executor << " " << precision;
}

TEST(cli_info, all_shapes_are_shown) {
  const auto text = dwell_cli({"info"}).out;
  const auto help = dwell_cli({"stencil", "--help"}).out;
  std::set<std::string> shapes;
  const auto info = dwell_cli({"info", "--json", "-"}).json();
  for (const auto& v : info.at("variants"))
    if (v.at("problem") == "stencil") shapes.insert(v.at("shape").get<std::string>());
  EXPECT_GE(shapes.size(), 1u);
  for (const auto& shape : shapes) {
    EXPECT_TRUE(holds(text, shape));
    EXPECT_TRUE(holds(help, "\n  " + shape + " "));
  }
  for (const auto& line : lines_of(text)) EXPECT_LE(line.size(), 110u) << line;
  for (const auto* policy : {"shared", "registers", "both"}) EXPECT_TRUE(holds(text, policy));
}

TEST(cli_info, a_stencil) {
  const auto r = dwell_cli({"info", "2d5pt", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json().at("stencil");
  EXPECT_EQ(j.at("dimensions"), 2);
  EXPECT_EQ(j.at("reads"), nlohmann::json::parse("[[0,0],[0,-1],[0,1],[-1,0],[1,0]]"));
  double sum = 0;
  for (const double w : j.at("default_weights")) sum += w;
  EXPECT_NEAR(sum, 1, 1e-15);
  const auto text = dwell_cli({"info", "3d7pt"}).out;
  EXPECT_TRUE(holds(text, "3 dimensions, radius 1, linear"));
  EXPECT_TRUE(holds(text, "( 0,  0, -1)  0.125"));
}

TEST(cli_info, a_stencil_that_is_not_linear_says_what_it_computes) {
  const auto text = dwell_cli({"info", "gradient2d"}).out;
  EXPECT_TRUE(holds(text, "computes "));
  EXPECT_TRUE(holds(text, "f(d) = d / (1 + w2 d^2)"));
  EXPECT_TRUE(holds(text, "w1  the rate: stable from 0 to 1/4"));
  EXPECT_TRUE(holds(text, "w2  1 / k^2"));
  for (const auto& line : lines_of(text)) EXPECT_LE(line.size(), 95u) << line;
  EXPECT_TRUE(
      holds(dwell_cli({"info", "gradient2d", "--json", "-"}).json().at("stencil").at("about"),
            "stable from 0 to 1/4"));
  EXPECT_TRUE(
      dwell_cli({"info", "2d5pt", "--json", "-"}).json().at("stencil").at("about").is_null());
}

/// The text is that of a file that runs as the name does.
TEST(cli_info, a_stencil_of_several_fields) {
  const scratch_folder in;
  const auto r = dwell_cli({"info", "heat2d", "--json", "-"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json().at("stencil");
  EXPECT_EQ(j.at("dimensions"), 2);
  EXPECT_EQ(j.at("coefficients"), std::vector<std::string>{"k"});
  EXPECT_EQ(j.at("parameters"), std::vector<std::string>{"r"});
  const std::string file = in.write("own.toml", j.at("text").get<std::string>());
  for (const std::string& name : {std::string("heat2d"), file}) {
    const auto text = dwell_cli({"info", name}).out;
    EXPECT_TRUE(holds(text, "heat_2d, 2 dimensions, radius 1, 1 stage\n")) << text;
    EXPECT_TRUE(holds(text, "\nu = u + r * t7\n")) << text;
    const auto run = dwell_cli({"stencil", name, "--size", "9x11", "--steps", "5", "--device",
                                "cpu", "-q", "-o", in(name == file ? "a.npy" : "b.npy")});
    EXPECT_EQ(run.code, 0) << run.err;
  }
  EXPECT_EQ(read_text(in("a.npy")), read_text(in("b.npy")));
  expect_refused({"info", "heat2d", "--threads", "2"}, "--threads: expected a matrix or no name");
  expect_refused({"info", in("none.toml")},
                 "none.toml: no such file; expected a stencil as a TOML file");
  expect_refused({"info", "heta2d"}, "did you mean 'heat2d'");
}

/// Holds for a kind of matrix and for a stencil alike; what has its name is ./NAME.
TEST(cli_info, a_name_goes_before_a_file) {
  const scratch_folder in;
  const auto here = std::filesystem::current_path();
  for (const std::string name : {"2d5pt", "poisson2d:5x4"}) {
    in.write(name, two_by_two(4, 1, 3));
    std::filesystem::current_path(in(""));
    const auto by_name = dwell_cli({"info", name}), file = dwell_cli({"info", "./" + name});
    std::filesystem::remove(name);
    std::filesystem::create_directory(name);
    const auto beside_folder = dwell_cli({"info", name});
    std::filesystem::current_path(here);
    EXPECT_EQ(by_name.code, 0) << by_name.err;
    EXPECT_TRUE(holds(by_name.out, name == "2d5pt" ? "linear" : "20 rows")) << name;
    EXPECT_EQ(file.code, 0) << file.err;
    EXPECT_TRUE(holds(file.out, "2 rows, 2 columns")) << name;
    EXPECT_EQ(beside_folder.code, 0) << beside_folder.err;
  }
  const auto help = dwell_cli({"info", "--help"}).out;
  EXPECT_FALSE(holds(help, "./NAME.;"));
}

TEST(cli_info, what_is_not_there_could_have_been_a_stencil) {
  expect_refused({"info", "2d6pt"}, "or a stencil (");
  for (const std::vector<std::string>& more :
       {std::vector<std::string>{"--device", "cpu"}, {"--threads", "2"}})
    expect_refused({"info", "2d5pt", more[0], more[1]},
                   more[0] + ": expected a matrix or no name with it, found stencil 2d5pt");
}

TEST(cli_info, rectangular) {
  const auto [text, j] = info(
      "%%MatrixMarket matrix coordinate integer general\n3 4 5\n1 1 2\n1 4 7\n1 2 0\n3 3 -1\n3 1 "
      "4\n");
  EXPECT_EQ(j.at("matrix").at("rows"), 3);
  EXPECT_EQ(j.at("matrix").at("columns"), 4);
  EXPECT_EQ(j.at("matrix").at("stored"), 5);
  EXPECT_EQ(j.at("matrix").at("nonzeros"), 4);
  EXPECT_EQ(j.at("matrix").at("explicit_zeros"), 1);
  EXPECT_EQ(j.at("matrix").at("field"), "integer");
  EXPECT_EQ(j.at("symmetry").at("found"), "not square");
  EXPECT_EQ(j.at("row_lengths"),
            (nlohmann::json{{"min", 0}, {"median", 2.0}, {"max", 3}, {"empty", 1}}));
  EXPECT_EQ(j.at("diagonal").at("missing").at("first_row"), 2);
  EXPECT_EQ(j.at("diagonal").at("negative").at("first_row"), 3);
  EXPECT_TRUE(holds(text, "3 rows, 4 columns"));
  EXPECT_TRUE(holds(text, "4 of the full matrix, and 1 explicit zero"));
  EXPECT_TRUE(holds(text, "1 positive, 1 negative (first row 3), 1 missing (first row 2)"));
  EXPECT_TRUE(holds(text, "1 empty row"));
}

TEST(cli_info, symmetry_as_declared_and_as_found) {
  const auto symmetric = info(two_by_two(4, 1, 3));
  EXPECT_EQ(symmetric.json.at("symmetry").at("declared"), "symmetric");
  EXPECT_EQ(symmetric.json.at("symmetry").at("found"), "symmetric");
  EXPECT_EQ(symmetric.json.at("matrix").at("stored"), 3);
  EXPECT_EQ(symmetric.json.at("matrix").at("nonzeros"), 4);
  EXPECT_TRUE(holds(symmetric.text, "all positive"));

  const auto skew =
      info("%%MatrixMarket matrix coordinate real skew-symmetric\n3 3 2\n2 1 5\n3 1 -2\n").json;
  EXPECT_EQ(skew.at("symmetry").at("declared"), "skew-symmetric");
  EXPECT_EQ(skew.at("symmetry").at("found"), "skew-symmetric");
  EXPECT_EQ(skew.at("diagonal").at("missing").at("count"), 3);

  const auto by_value =
      info("%%MatrixMarket matrix array real general\n2 2\n1\n2\n3\n0\n");  // column by column
  EXPECT_EQ(by_value.json.at("symmetry").at("found"), "symmetric pattern, values differ");
  EXPECT_EQ(by_value.json.at("symmetry").at("not_equal").at("first_row"), 1);
  EXPECT_EQ(by_value.json.at("symmetry").at("not_equal").at("first_column"), 2);
  EXPECT_EQ(by_value.json.at("symmetry").at("largest_difference"), 1.0);
  EXPECT_EQ(by_value.json.at("matrix").at("layout"), "array");
  EXPECT_EQ(by_value.json.at("diagonal").at("zero").at("first_row"), 2);

  const auto general = info("%%MatrixMarket matrix coordinate pattern general\n2 2 2\n1 1\n1 2\n");
  EXPECT_EQ(general.json.at("symmetry").at("found"), "unsymmetric");
  EXPECT_EQ(general.json.at("symmetry").at("without_mirror").at("count"), 1);
  EXPECT_TRUE(holds(general.text, "first row 1, column 2"));
}

TEST(cli_info, generated) {
  const auto r = dwell_cli({"info", "poisson2d:5x4", "--json", "-", "--threads", "3"});
  const auto j = r.json();
  EXPECT_EQ(j.at("matrix").at("rows"), 20);
  EXPECT_EQ(j.at("matrix").at("nonzeros"), 5 * 20 - 2 * (5 + 4));
  EXPECT_TRUE(j.at("matrix").at("stored").is_null());
  EXPECT_EQ(j.at("symmetry").at("found"), "symmetric");
  EXPECT_EQ(j.at("diagonal").at("positive"), 20);
  EXPECT_EQ(j.at("row_lengths").at("min"), 3);
  EXPECT_EQ(j.at("row_lengths").at("max"), 5);
}

TEST(cli_info, real_matrices_as_the_index_has_them) {
  const std::string folder = DWELL_MATRICES;
  if (folder.empty() || !std::filesystem::exists(folder + "/msc01440.mtx.gz"))
    GTEST_SKIP() << "DWELL_MATRICES names no folder with msc01440.mtx.gz";
  const auto j = dwell_cli({"info", folder + "/msc01440.mtx.gz", "--json", "-"}).json();
  EXPECT_EQ(j.at("matrix").at("name"), "msc01440");
  EXPECT_EQ(j.at("matrix").at("stored"), 23855);
  EXPECT_EQ(j.at("matrix").at("nonzeros"), 44998);
  EXPECT_EQ(j.at("matrix").at("explicit_zeros"), 1272);
  EXPECT_GT(j.at("time").at("bytes_per_s"), 0);
}

TEST(cli_generate, round_trip) {
  const scratch_folder in;
  const auto wanted = generate("trefethen:100");
  for (const auto* name : {"lower.mtx", "lower.mtx.gz", "both.mtx"}) {
    std::vector<std::string> args = {"generate", "trefethen:100", "-o", in(name)};
    if (name == std::string("both.mtx")) args.push_back("--general");
    const auto r = dwell_cli(args);
    EXPECT_EQ(r.code, 0) << r.err;
    EXPECT_TRUE(holds(r.out, name));
    const auto read = read_matrix_market(in(name));
    EXPECT_EQ(read.header.symmetry,
              name == std::string("both.mtx") ? mm_symmetry::general : mm_symmetry::symmetric);
    EXPECT_EQ(read.matrix.row_ptr, wanted.row_ptr);
    EXPECT_EQ(read.matrix.col, wanted.col);
    EXPECT_EQ(read.matrix.val, wanted.val);
  }
  EXPECT_EQ(in.files().size(), 3u);
  const auto piped = dwell_cli({"generate", "trefethen:100", "-o", "-"});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.out, read_text(in("lower.mtx")));
  const auto quiet = dwell_cli({"generate", "box3d:3", "-q", "-o", in("box.mtx")});
  EXPECT_EQ(quiet.code, 0);
  EXPECT_EQ(quiet.out + quiet.err, "");
}

}  // namespace
}  // namespace dwell::test
