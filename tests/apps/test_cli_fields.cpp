// SPDX-License-Identifier: MIT
// `dwell stencil FILE.toml`: values, boundaries, points, reductions and outputs are those of a
// field_runner, and what is wrong in a file is named by its line.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "dwell/stencil/formulas.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

const std::string wave_formulas =
    "around = u[-1, 0] + u[1, 0] + u[0, -1] + u[0, 1]\n"
    "u = 2 * u - v + c2 * (around - 4 * u)  # leapfrog\n"
    "v = u\n";
const std::string wave_head =
    "fields = [\"u\", \"v\"]\ncoefficients = \"c2\"\nparameters = \"r\"\n"
    "step = \"\"\"\n" +
    wave_formulas + "\"\"\"\n";

strings stencil_of_fields(strings args) {
  args.insert(args.begin(), {"stencil"});
  args.insert(args.end(), {"--device", "cpu", "--threads", "2"});
  return args;
}

class cli_fields : public testing::Test {
 protected:
  cli_fields() {
    ::setenv("DWELL_STENCIL_KERNEL", "interpreted", 1);
    start = grid<double>(extents(7, 9));
    for (std::size_t i = 0; i < start.cells().size(); ++i)
      start.cells()[i] = static_cast<double>(i * i % 17) / 8;
    write_npy<double>(in("u0.npy"), std::as_const(start).view());
  }
  ~cli_fields() override { ::unsetenv("DWELL_STENCIL_KERNEL"); }

  std::string file(const std::string& more) { return in.write("wave.toml", wave_head + more); }
  field_runner<double> runner(const std::vector<field_boundary>& boundaries) const {
    field_options o;
    o.kernel = "interpreted";
    o.boundaries = boundaries;
    field_runner<double> made(
        device::cpu(1), parse_formulas({"wave", 0, {"u", "v"}, {"c2"}, {"r"}, {wave_formulas}}),
        {7, 9}, o);
    made.set_field(0, start.cells());
    made.set_field(1, start.cells());
    made.set_coefficient(0, std::vector<double>(63, 0.2));
    return made;
  }

  const scratch_folder in;
  grid<double> start{extents(1, 1)};
};

TEST_F(cli_fields, a_run_is_that_of_a_runner) {
  const auto with_boundary = [&](const std::string& of_v) {
    return file("boundary = {v = " + of_v +
                ", u = [\"periodic\", [\"nearest\", \"constant:1\"]]}\n[values]\nu = \"" +
                in("u0.npy") + "\"\nv = \"" + in("u0.npy") +
                "\"\nc2 = 0.3\nr = 0\n[run]\nsteps = 6\n[[sources]]\nfield = \"u\"\ncells = "
                "[[2, 3], [5, 5]]\nseries = [1, 0.5, 0.25, 0, 0, 0]\n[[receivers]]\nfield = "
                "\"v\"\ncells = [[1, 1], [2, 3], [6, 8]]\noutput = \"" +
                in("record.npy") +
                "\"\n[reductions]\nevery = 2\nu = [\"sum\", \"change-norm2\"]\nv = \"max\"\n"
                "[outputs]\nv = [\"" +
                in("v.npy") + "\", \"" + in("v.png") + "\"]\n");
  };
  expect_refused(stencil_of_fields({with_boundary("\"reflect\"")}), "periodic");
  const auto r = dwell_cli(stencil_of_fields({with_boundary("[\"periodic\", \"nearest\"]"), "--set",
                                              "c2=0.2", "-o", in("u.npy"), "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;

  field_boundary u, v;
  u.sides[0] = {field_side{side_kind::periodic, 0}, field_side{side_kind::periodic, 0}};
  u.sides[1] = {field_side{side_kind::nearest, 0}, field_side{side_kind::constant, 1}};
  v.sides[0] = u.sides[0];
  v.sides[1] = {field_side{side_kind::nearest, 0}, field_side{side_kind::nearest, 0}};
  auto plain = runner({u, v});
  std::vector<double> series;
  for (const double s : {1.0, 0.5, 0.25, 0.0, 0.0, 0.0}) series.insert(series.end(), 2, s);
  plain.set_sources(0, std::vector<std::int64_t>{2, 3, 5, 5}, series);
  plain.set_receivers(1, std::vector<std::int64_t>{1, 1, 2, 3, 6, 8});
  plain.set_reductions({{0, {reduction::sum, false}, {}},
                        {0, {reduction::norm2, true}, {}},
                        {1, {reduction::max, false}, {}}},
                       2);
  plain.run(6);
  for (const int f : {0, 1}) {
    std::vector<double> wanted(63);
    plain.field(f, wanted);
    const auto found_field = read_npy<double>(in(f == 0 ? "u.npy" : "v.npy"));
    EXPECT_TRUE(std::ranges::equal(found_field.cells(), wanted)) << f;
  }
  EXPECT_TRUE(std::filesystem::exists(in("v.png")));
  const auto record = read_npy<double>(in("record.npy"));
  EXPECT_EQ(record.size(), extents(6, 3));
  EXPECT_TRUE(std::ranges::equal(record.cells(), plain.record(0)));
  const auto j = r.json();
  const auto& rows = j.at("reductions").at("rows");
  ASSERT_EQ(rows.size(), 3u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(rows[k].at("step"), 2 * (k + 1));
    for (std::size_t q = 0; q < 3; ++q)
      EXPECT_EQ(rows[k].at("values")[q], plain.reductions()[k].values[q]);
  }
  EXPECT_EQ(j.at("reductions").at("quantities")[1].at("name"), "change-norm2(u)");
  EXPECT_EQ(j.at("outputs").size(), 4u);
}

TEST_F(cli_fields, size_steps_and_stages_come_from_where_they_are_given) {
  const std::string toml =
      in.write("two.toml",
               "fields = \"a b\"\nstages = [\"a = b[0, 1]\", '''\nb = a[1, 0]\n''']\n"
               "[values]\na = 0\nb = \"random:3\"\n[run]\nsize = \"5x6\"\nsteps = 2\n");
  const auto r = dwell_cli(stencil_of_fields({toml, "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("stencil").at("size"), "5x6");
  EXPECT_EQ(r.json().at("stencil").at("name"), "two");
  EXPECT_EQ(r.json().at("steps"), 2);
  const auto other =
      dwell_cli(stencil_of_fields({toml, "--size", "8x9", "--steps", "3", "--precision", "f32",
                                   "--json", "-", "--executor", "naive"}));
  ASSERT_EQ(other.code, 0) << other.err;
  EXPECT_EQ(other.json().at("stencil").at("size"), "8x9");
  EXPECT_EQ(other.json().at("precision"), "f32");
  EXPECT_EQ(other.json().at("executor"), "naive");
}

TEST_F(cli_fields, ready_stencils_run_as_they_are) {
  const std::string help = dwell_cli({"stencil", "--help"}).out;
  for (const char* name : {"heat2d", "wave3d-order4", "fdtd", "shallow-water", "advection-upwind",
                           "gray-scott2d", "allen-cahn3d", "cahn-hilliard"}) {
    EXPECT_TRUE(help.find(name) != std::string::npos) << name;
    const bool flat = std::string(name).find("3d") == std::string::npos;
    const auto r = dwell_cli(stencil_of_fields(
        {name, "--size", flat ? "20x24" : "8x9x10", "--steps", "20", "--json", "-"}));
    ASSERT_EQ(r.code, 0) << name << ": " << r.err;
    EXPECT_EQ(r.json().at("stencil").at("file"), name);
    EXPECT_EQ(r.json().at("finite"), true) << name;
    EXPECT_NE(r.json().at("fields")[0].at("greatest"), 0) << name;
  }
  const auto edges = [&](strings more) {
    strings args = {"heat2d", "--size", "20x20", "--steps", "100", "--json", "-", "--set", "r=0.2"};
    args.insert(args.end(), more.begin(), more.end());
    return dwell_cli(stencil_of_fields(args)).json().at("stencil").at("changing_cells");
  };
  EXPECT_EQ(edges({}), 18 * 18);
  EXPECT_EQ(edges({"--boundary", "reflect"}), 400);
  expect_refused(stencil_of_fields({"heat2d", "--size", "5x5", "--set", "u=hot-spot:1"}),
                 "--set u: expected a number, zeros, hot-spot");
  expect_refused(stencil_of_fields({"heat2d"}),
                 "heat2d: expected --size, a .npy or a .vti file, found no");
  expect_refused(stencil_of_fields({"heat2d", "--size", "5x5", "--until", "1e-3"}),
                 "--until: is not for stencils of several fields, which [until] in FILE.toml ends");
}

/// A file has fixed sides here: the command line puts other words in place of them.
TEST_F(cli_fields, boundaries_of_the_command_line_have_all_words) {
  for (const char* word :
       {"fixed", "periodic", "reflect", "mirror", "antisymmetric", "nearest", "constant:-1.5"}) {
    auto plain = runner({field_boundary::all(parse_field_side(word))});
    plain.set_parameter(0, 0);
    plain.run(4);
    std::vector<double> wanted(63);
    plain.field(0, wanted);
    const auto r =
        dwell_cli(stencil_of_fields({file("[values]\nu = \"" + in("u0.npy") + "\"\nv = \"" +
                                          in("u0.npy") + "\"\nc2 = 0.2\nr = 0\n"),
                                     "--steps", "4", "--boundary", word, "-o", in("u.npy"), "-q"}));
    ASSERT_EQ(r.code, 0) << r.err;
    const auto found = read_npy<double>(in("u.npy"));
    EXPECT_TRUE(std::ranges::equal(found.cells(), wanted)) << word;
    const auto plan = dwell_cli({"explain", "stencil", "heat2d", "--size", "9x9", "--boundary",
                                 word, "--device", "cpu", "--json", "-"});
    ASSERT_EQ(plan.code, 0) << plan.err;
    EXPECT_EQ(plan.json().at("stencil").at("changing_cells"), word[0] == 'f' ? 49 : 81) << word;
  }
  for (const strings& args : {strings{"stencil"}, {"explain", "stencil"}}) {
    const auto refused = [&](const char* name, const char* word, const std::string& part) {
      strings all = args;
      all.insert(all.end(), {name, "--size", "9x9", "--boundary", word});
      expect_refused(all, "dwell: --boundary: expected " + part);
    };
    refused("2d5pt", "nearest", "fixed, periodic or reflect, found 'nearest'");
    refused("2d5pt", "", "fixed, periodic or reflect, found ''");
    refused("heat2d", "reflected", "fixed, constant:VALUE, reflect, mirror, antisymmetric");
    refused("heat2d", "constant", "fixed, constant:VALUE, reflect, mirror, antisymmetric");
    refused("heat2d", "", "fixed, constant:VALUE, reflect, mirror, antisymmetric");
  }
}

TEST_F(cli_fields, exit_codes_say_how_a_run_ended) {
  const std::string values =
      "boundary = \"reflect\"\n[values]\nu = 1\nv = 1\nc2 = 0.2\nr = 0\n"
      "[run]\nsize = \"6x7\"\nsteps = 50\n";
  const auto met =
      dwell_cli(stencil_of_fields({file(values + "[until]\nu = {change-norm-max = 1e-9}\n")}));
  EXPECT_EQ(met.code, 2) << met.err;  // every 100 steps: not looked at
  EXPECT_TRUE(met.out.find("change-norm-max(u) not computed yet, wanted 1e-09") !=
              std::string::npos)
      << met.out;
  const auto soon = dwell_cli(stencil_of_fields(
      {file(values + "[reductions]\nevery = 5\n[until]\nu = {change-norm-max = 1e-9}\n")}));
  EXPECT_EQ(soon.code, 0) << soon.err;
  EXPECT_TRUE(soon.out.find("converged after 5 steps") != std::string::npos) << soon.out;
  const auto large =
      dwell_cli(stencil_of_fields({file(values), "--set", "c2=1e200", "--set", "u=hot-spot"}));
  EXPECT_EQ(large.code, 3) << large.err;
  const auto stopped = dwell_cli(
      stencil_of_fields({file(values), "--steps", "2000000000"}),
      {.terminal = true,
       .signal_when = [](const std::string& err) { return err.find("step ") != std::string::npos; },
       .signal = SIGINT});
  EXPECT_EQ(stopped.code, 130) << stopped.err;
  EXPECT_TRUE(stopped.out.find("INTERRUPTED after") != std::string::npos) << stopped.out;
}

TEST_F(cli_fields, what_is_wrong_has_its_line) {
  const std::string whole = "[values]\nu = 1\nv = 1\nc2 = 0.2\nr = 0\n[run]\nsize = \"6x7\"\n";
  const std::pair<std::string, std::string> cases[] = {
      {"boundary = \"reflekt\"\n", "wave.toml:9: boundary: expected fixed, "},
      {"boundary = [\"reflect\"]\n", "wave.toml:9: boundary: expected an entry for each of 2 axes"},
      {"boundary = {u = \"reflect\"}\n",
       "wave.toml:9: boundary: expected every field, found none of v"},
      {"colour = 1\n", "wave.toml:9: colour: no such key"},
      {"[value]\nu = 1\n", "wave.toml:9: value: no such key; did you mean 'values'?"},
      {"[values]\nw = 1\n", "wave.toml:10: [values] w: no such key"},
      {"[values]\nu = true\n", "wave.toml:10: [values] u: expected a finite number"},
      {"[values]\nu = \"hotspot\"\nv = 1\nc2 = 1\nr = 1\n[run]\nsize = \"5x5\"\n",
       "wave.toml:10: [values] u: expected a number, zeros, hot-spot"},
      {"[run]\nsize = \"5x5\"\n",
       "wave.toml: expected u, a field, in [values] or by --set, found none"},
      {"[run]\nsize = \"5\"\n", "[run] size: wave works on 2 dimensions, found 5"},
      {"[run]\nsize = \"5y\"\n", "wave.toml:10: [run] size: expected rows x columns"},
      {"[run]\nsize = \"5x5x5\"\n", "[run] size: wave works on 2 dimensions, found 5x5x5"},
      {"[run]\nsteps = -1\n",
       "wave.toml:10: [run] steps: expected a whole number from 0 to 2147483647, found -1"},
      {"", "wave.toml: expected --size, size in [run], a .npy or a .vti file"},
      {"[reductions]\nu = \"mean\"\n", "wave.toml:10: [reductions] mean: quantity: expected sum, "},
      {"[until]\nu = 1\n", "wave.toml:10: [until] u: expected {quantity = number}, found 1"},
      {"[outputs]\nu = \"u.txt\"\n",
       "wave.toml:10: [outputs] u: expected a name that ends in .npy"},
      {"[[sources]]\nfield = \"w\"\n",
       "wave.toml:10: [[sources]] field: expected a field, found 'w'"},
      {"[[sources]]\nfield = \"u\"\ncells = [[1]]\n",
       "wave.toml:11: [[sources]] cells: expected 2 indices"},
      {whole + "[[sources]]\nfield = \"u\"\ncells = [[1, 1]]\nseries = [1]\n",
       "sources of 'u': expected a value for each of 1000 steps, found 1"},
      {"feilds = \"u\"\n", "wave.toml:9: feilds: no such key; did you mean 'fields'?"},
      {"boundary = [[\"periodic\", \"reflect\"], \"reflect\"]\n" + whole,
       "along y: expected periodic of both sides, found it of one"},
      {"boundary = \"constant:nan\"\n" + whole,
       "boundary of field 'u' along y: expected a finite number after 'constant:', found nan"},
      {"boundary = {u = \"reflect\", v = [\"reflect\", [\"reflect\", \"constant:-inf\"]]}\n" +
           whole,
       "boundary of field 'v' along x: expected a finite number after 'constant:', found -inf"},
      {"[run]\nsize = 60\n",
       "wave.toml:10: [run] size: expected a text such as '60x80', or an array"},
      {"[run]\nsize = [60, 8.5]\n", "wave.toml:10: [run] size: expected whole numbers, found 8.5"},
      {"[run]\nsize = [60, -8]\n", "wave.toml:10: [run] size: expected rows x columns"},
      {"[run]\nsize = []\n", "wave.toml:10: [run] size: expected rows x columns"},
      {whole + "[[receivers]]\nfield = \"u\"\ncells = [[1, 1]]\noutput = \"r.txt\"\n",
       "expected a name that ends in .npy, found 'r.txt'"},
  };
  for (const auto& [text, wanted] : cases) expect_refused(stencil_of_fields({file(text)}), wanted);
  const auto formulas = [&](const std::string& step) {
    return in.write("bad.toml", "fields = \"u\"\n\nstep = " + step + "\n");
  };
  expect_refused(stencil_of_fields({formulas("\"\"\"\nu = u +\n\"\"\"")}),
                 "bad.toml:4: expected a number, a name");
  expect_refused(stencil_of_fields({formulas("\"u = w\"")}),
                 "bad.toml:3: expected a name that is known");
  expect_refused(stencil_of_fields({formulas("'''u = u\n * 2'''")}),
                 "bad.toml:4: expected NAME = EXPRESSION");
  expect_refused(stencil_of_fields({formulas("\"u = u[1]\""), "--size", "5x5"}),
                 "--size: bad works on 1 dimension, found 5x5");
  expect_refused(stencil_of_fields({formulas("3")}), "bad.toml:3: step: expected text, found 3");
  expect_refused(stencil_of_fields({in.write("bad.toml", "fields = \"u\"\n")}), "expected step");
  expect_refused(stencil_of_fields({in("none.toml")}),
                 "none.toml: no such file; expected a stencil");
  expect_refused(stencil_of_fields({formulas("\"u = u[0, -5]\"")}),
                 "bad.toml:3: expected neighbours at most 4 away in 2-D, found 5");
  expect_refused(stencil_of_fields({in.write("bad.toml", "felds = \"u\"\nstep = \"u = u\"\n")}),
                 "bad.toml:1: felds: no such key; did you mean 'fields'?");
  const auto array = dwell_cli(
      stencil_of_fields({file("boundary = \"reflect\"\n[values]\nu = 1\nv = 1\nc2 = 0.2\nr = 0\n"
                              "[run]\nsize = [6, 7]\nsteps = 3\n")}));
  EXPECT_EQ(array.code, 0) << array.err;
  EXPECT_TRUE(holds(array.out, "6x7 cells")) << array.out;
  std::filesystem::create_directory(in("folder.toml"));
  expect_refused(stencil_of_fields({in("folder.toml")}), "folder.toml: cannot be read");
  const auto unknown = dwell_cli(stencil_of_fields({"wave2x"}));
  EXPECT_NE(unknown.code, 0);
  EXPECT_TRUE(holds(unknown.err, " or FILE.toml, found 'wave2x'; did you mean")) << unknown.err;
  expect_refused(stencil_of_fields({file(whole), "--weights", "1"}),
                 "--weights: is not for stencils of several");
  expect_refused(stencil_of_fields({file(whole), "--set", "w=1"}),
                 "--set: expected u, v, c2 or r, found 'w'");
  expect_refused(stencil_of_fields({file(whole), "--set", "u"}), "--set: expected NAME=VALUE");
  expect_refused(stencil_of_fields({"2d5pt", "--set", "u=1"}),
                 "--set: is for stencils of several fields");
  expect_refused(
      stencil_of_fields({file("[values]\nu = \"" + in("u0.npy") + "\"\n"), "-o", in("u0.npy")}),
      "u0.npy");
}

/// For an architecture without passes, whose kernels compile in a moment.
TEST_F(cli_fields, kernels_that_points_and_changes_need_are_compiled_ahead) {
  try {
    nvrtc::library();
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  ::setenv("DWELL_CACHE_DIR", in("cache").c_str(), 1);
  const auto warmed = [&](const std::string& more) {
    const auto done = dwell_cli({"kernels", "warm", file(more), "--arch", "sm_80"});
    EXPECT_EQ(done.code, 0) << done.err;
    return done.out;
  };
  const std::string plain = warmed("");
  const std::string with = warmed("[[receivers]]\nfield = \"u\"\ncells = [[1, 1]]\noutput = \"" +
                                  in("r.npy") + "\"\n[reductions]\nu = \"change-norm2\"\n");
  ::unsetenv("DWELL_CACHE_DIR");
  for (const char* name : {"sources", "receivers", "changes of fields"})
    EXPECT_TRUE(holds(with, name) && !holds(plain, name)) << name << '\n' << with << plain;
}

}  // namespace
}  // namespace dwell::test
