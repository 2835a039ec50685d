// SPDX-License-Identifier: MIT
// Several fields at the command line: fields of one dimension, fields in as .vti, pictures with a
// scale, and frames. A film and files of frames are compared with those of a field_runner.
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "cli_runner.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/png.hpp"
#include "dwell/formats/vti.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "dwell/stencil/formulas.hpp"

namespace dwell::test {
namespace {

using arguments = std::vector<std::string>;

arguments on_cpu(arguments args) {
  args.insert(args.begin(), "stencil");
  args.insert(args.end(), {"--device", "cpu", "--threads", "2"});
  return args;
}

const std::string pulse_formulas = "u = u - c * (u - u[-1])\n";
const std::string pair_formulas =
    "u = u + 0.1 * (v[-1, 0] + v[1, 0] + v[0, -1] + v[0, 1] - 4 * u)\nv = 0.99 * u\n";

class cli_field_files : public testing::Test {
 protected:
  cli_field_files() { ::setenv("DWELL_STENCIL_KERNEL", "interpreted", 1); }
  ~cli_field_files() override { ::unsetenv("DWELL_STENCIL_KERNEL"); }

  template <class T>
  grid<T> random_field(const extents& n) {
    grid<T> u(n);
    for (T& cell : u.cells()) cell = static_cast<T>(random_() >> 12) * static_cast<T>(0x1p-52);
    return u;
  }
  std::string pulse(const std::string& more) {
    return in.write("pulse.toml",
                    "fields = \"u\"\nparameters = \"c\"\nboundary = \"periodic\"\nstep = \"" +
                        pulse_formulas.substr(0, pulse_formulas.size() - 1) +
                        "\"\n[values]\nc = 0.375\n" + more);
  }
  std::string pair(const std::string& more = "") {
    return in.write("pair.toml",
                    "fields = \"u v\"\nboundary = \"periodic\"\nstep = \"\"\"\n" + pair_formulas +
                        "\"\"\"\n[values]\nu = \"hot-spot\"\nv = \"random:4\"\n" + more);
  }
  static field_runner<double> runner(const std::string& formulas, const extents& n, int dims) {
    field_options o;
    o.kernel = "interpreted";
    o.boundaries = {field_boundary::all(parse_field_side("periodic"))};
    std::vector<std::int64_t> size;
    for (int axis = 3 - dims; axis < 3; ++axis) size.push_back(n[axis]);
    return {device::cpu(1),
            parse_formulas(
                {"made",
                 dims,
                 dims == 1 ? std::vector<std::string>{"u"} : std::vector<std::string>{"u", "v"},
                 {},
                 dims == 1 ? std::vector<std::string>{"c"} : std::vector<std::string>{},
                 {formulas}}),
            size, o};
  }
  /// A run of pair() from its values at 12 x 17 cells; look(step, u, v) at 0 and after each step.
  using look_function = std::function<void(int, const grid<double>&, const grid<double>&)>;
  void each_step(int steps, const look_function& look) {
    const extents n(12, 17);
    for (const std::string field : {"u", "v"})
      dwell_cli(on_cpu({pair(), "--size", "12x17", "--steps", "0", "-o", in(field + "0.npy"),
                        "--field", field, "--quiet"}));
    auto plain = runner(pair_formulas, n, 2);
    grid<double> u = read_npy<double>(in("u0.npy")), v = read_npy<double>(in("v0.npy"));
    plain.set_field(0, u.cells());
    plain.set_field(1, v.cells());
    for (int step = 0; step <= steps; ++step) {
      look(step, u, v);
      plain.run(1);
      plain.field(0, u.cells());
      plain.field(1, v.cells());
    }
  }

  const scratch_folder in;

 private:
  std::mt19937_64 random_{7};
};

TEST_F(cli_field_files, one_dimension_is_a_runner_s) {
  const auto start = random_field<double>(extents(23));
  write_npy<double>(in("u0.npy"), start.view());
  const std::string file = pulse("u = \"" + in("u0.npy") +
                                 "\"\n[[receivers]]\nfield = \"u\"\ncells = [[3], [22]]\n"
                                 "output = \"" +
                                 in("record.npy") +
                                 "\"\n[[sources]]\nfield = \"u\"\ncells = [[5]]\n"
                                 "series = [1, 2, 3, 4, 5, 6, 7]\n");
  const auto r = dwell_cli(on_cpu({file, "--steps", "7", "-o", in("u.npy"), "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.json().at("stencil").at("size"), "23");
  auto plain = runner(pulse_formulas, start.size(), 1);
  plain.set_field(0, start.cells());
  plain.set_parameter(0, 0.375);
  const double series[] = {1, 2, 3, 4, 5, 6, 7};
  plain.set_sources(0, std::vector<std::int64_t>{5}, series);
  plain.set_receivers(0, std::vector<std::int64_t>{3, 22});
  plain.run(7);
  std::vector<double> wanted(23);
  plain.field(0, wanted);
  npy_reader found(in("u.npy"), npy_accepts::floats, 1);
  EXPECT_EQ(found.facts().size, extents(23));
  EXPECT_TRUE(std::ranges::equal(found.values<double>().cells(), wanted));
  EXPECT_TRUE(std::ranges::equal(read_npy<double>(in("record.npy")).cells(), plain.record(0)));
}

TEST_F(cli_field_files, one_dimension_has_pictures) {
  const std::string file = pulse("u = \"hot-spot\"\n");
  const auto r =
      dwell_cli(on_cpu({file, "--size", "40", "--steps", "10", "--animation", in("rows.png"),
                        "--every", "4", "-o", in("u.png"), "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  auto plain = runner(pulse_formulas, extents(40), 1);
  grid<double> u{extents(40)}, rows(extents(4, 40));
  for (int x = 16; x < 24; ++x) u.cells()[static_cast<std::size_t>(x)] = 1;
  plain.set_field(0, u.cells());
  plain.set_parameter(0, 0.375);
  int row = 0;
  for (const int steps : {0, 4, 4, 2}) {  // the end is a frame, too
    plain.run(steps);
    plain.field(0, u.cells());
    for (int x = 0; x < 40; ++x) rows(row, x) = u.cells()[static_cast<std::size_t>(x)];
    ++row;
  }
  write_png<double>(in("rows-wanted.png"), std::as_const(rows).view());
  write_png<double>(in("u-wanted.png"), std::as_const(u).view());
  EXPECT_EQ(read_text(in("rows.png")), read_text(in("rows-wanted.png")));
  EXPECT_EQ(read_text(in("u.png")), read_text(in("u-wanted.png")));
  const auto j = r.json().at("animation");
  EXPECT_EQ(j.at("frames"), 4);
  EXPECT_EQ(j.at("every"), 4);
  EXPECT_EQ(j.at("greatest"), 1);
  const auto usual = dwell_cli(on_cpu(
      {file, "--size", "40", "--steps", "1001", "--animation", in("rows.png"), "--json", "-"}));
  EXPECT_EQ(usual.json().at("animation").at("every"), 3);
}

TEST_F(cli_field_files, sizes_are_of_the_definition) {
  expect_refused(on_cpu({pulse("u = 0\n"), "--size", "3x4"}),
                 "--size: pulse works on 1 dimension, found 3x4");
  expect_refused(on_cpu({pair(), "--size", "12"}), "--size: pair works on 2 dimensions, found 12");
  expect_refused(on_cpu({"2d5pt", "--size", "12"}),
                 "--size: 2d5pt works on 2 dimensions, found 12");
  expect_refused(on_cpu({pulse("u = 0\n"), "--size", "12y"}),
                 "or 256x256x256 in three dimensions, 1000 in one, of 1");
  write_npy<double>(in("flat.npy"), grid<double>(extents(3, 4)).view());
  write_vti<double>(in("flat.vti"), grid<double>(extents(3, 4)).view());
  expect_refused(on_cpu({pulse(""), "--set", "u=" + in("flat.npy"), "--size", "12"}),
                 "flat.npy: expected 12 cells as the fields have, found 3x4");
  expect_refused(on_cpu({pulse(""), "--set", "u=" + in("flat.vti")}),
                 "flat.vti: expected a field of one axis, found 1x3x4");
  const auto plan =
      dwell_cli({"explain", "stencil", pulse("u = 0\n"), "--size", "1000", "--json", "-"});
  ASSERT_EQ(plan.code, 0) << plan.err;
  EXPECT_EQ(plan.json().at("stencil").at("size"), "1000");
}

TEST_F(cli_field_files, explain_says_what_stays_on_a_chip) {
  const auto explained = [](std::vector<std::string> what) {
    what.insert(what.begin(), {"explain", "stencil"});
    what.insert(what.end(), {"--device-facts", "h200"});
    return dwell_cli(what);
  };
  const auto small = explained({"heat2d", "--size", "512x600", "--json", "-"});
  ASSERT_EQ(small.code, 0) << small.err;
  const auto j = small.json();
  EXPECT_EQ(j.at("executor"), "perks");
  const auto& plan = j.at("plan");
  const int slabs = plan.at("slabs"), tiles = plan.at("tiles");
  EXPECT_EQ(plan.at("teams"), slabs * tiles);
  EXPECT_LE(slabs * tiles, 132);
  EXPECT_EQ(plan.at("slab_cells"), (512 + slabs - 1) / slabs);
  EXPECT_EQ(plan.at("tile_cells"), (600 + tiles - 1) / tiles);
  EXPECT_GT(plan.at("working_set_bytes"), 0);
  EXPECT_LE(plan.at("working_set_bytes"), 227 << 10);
  EXPECT_GT(plan.at("step_s"), 0);
  const auto text = explained({"heat2d", "--size", "512x600"});
  for (const char* said : {"perks on", "tiles", "halos exchanged every", "projected"})
    EXPECT_TRUE(holds(text.out, said)) << said << " in " << text.out;
  const auto large = explained({"heat2d", "--size", "8000x8000", "--json", "-"}).json();
  EXPECT_EQ(large.at("executor"), "temporal");
  EXPECT_TRUE(large.at("plan").at("slab_cells").is_null());
}

TEST_F(cli_field_files, explain_takes_the_options_of_a_run) {
  const auto explained = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"explain", "stencil", "heat2d", "--size", "4096x4096",
                               "--device-facts", "h200", "--json", "-"});
    return dwell_cli(more);
  };
  EXPECT_EQ(explained({}).json().at("once").at("values").size(), 4u);
  EXPECT_EQ(explained({"--hoist", "never"}).json().at("once").at("values").size(), 0u);
  EXPECT_EQ(explained({"--executor", "graph"}).json().at("executor"), "graph");
  const auto deep = explained({"--executor", "temporal", "--depth", "4"});
  ASSERT_EQ(deep.code, 0) << deep.err;
  EXPECT_EQ(deep.json().at("plan").at("steps_per_pass"), 4);
  const auto step_of = [&](const char* executor) {
    return explained({"--executor", executor, "--hoist", "never"}).json().at("plan").at("step_s");
  };
  EXPECT_LT(step_of("persistent"), step_of("graph"));  // ends of stages are barriers
  EXPECT_TRUE(step_of("naive").is_null());             // by no model
  const auto without = explained({"--executor", "ring"});
  EXPECT_NE(without.code, 0);
  for (const char* option : {"--executor", "--hoist"})
    expect_refused({"explain", "stencil", "2d5pt", "--size", "9x9", option, "auto"},
                   std::string(option) + ": is for stencils of several fields");
}

TEST_F(cli_field_files, values_that_are_computed_once_leave_the_bits) {
  const auto run = [&](const char* hoist, const char* to) {
    const auto r =
        dwell_cli(on_cpu({"heat2d", "--size", "23x31", "--steps", "9", "--set", "k=random:3",
                          "--set", "r=0.01", "--hoist", hoist, "-o", in(to), "--json", "-"}));
    EXPECT_EQ(r.code, 0) << r.err;
    return r;
  };
  const auto once = run("always", "once.npy"), always = run("never", "never.npy");
  EXPECT_EQ(read_text(in("once.npy")), read_text(in("never.npy")));
  EXPECT_EQ(once.json().at("plan").at("values_once"), 4);
  EXPECT_EQ(always.json().at("plan").at("values_once"), 0);
}

TEST_F(cli_field_files, fields_come_as_vti_with_the_bits_of_npy) {
  const auto u = random_field<float>(extents(5, 6, 7)), k = random_field<float>(extents(5, 6, 7));
  write_npy<float>(in("u.npy"), u.view());
  write_npy<float>(in("k.npy"), k.view());
  write_vti<float>(in("u.vti"), u.view());
  write_vti<float>(in("k.vti"), k.view(), "k");
  const auto run = [&](const std::string& end, const std::string& to) {
    return dwell_cli(on_cpu({"heat3d", "--set", "u=" + in("u" + end), "--set", "k=" + in("k" + end),
                             "--steps", "5", "--precision", "f32", "-o", to, "--quiet"}));
  };
  ASSERT_EQ(run(".npy", in("a.npy")).code, 0);
  const auto r = run(".vti", in("b.vti"));
  ASSERT_EQ(r.code, 0) << r.err;
  vti_reader made(in("b.vti"), 3, "u");
  EXPECT_EQ(made.facts().name, "u");
  EXPECT_EQ(made.values<float>(), read_npy<float>(in("a.npy")));
  expect_refused(on_cpu({"heat3d", "--set", "u=" + in("u.vti")}),
                 "u.vti: expected f64 values, found f32; add --precision f32");
  expect_refused(
      on_cpu({"heat3d", "--set", "u=" + in("u.vti"), "--size", "5x6x8", "--precision", "f32"}),
      "u.vti: expected 5x6x8 cells as the fields have, found 5x6x7");
  expect_refused(
      on_cpu({"heat3d", "--set", "u=" + in("u.vti"), "--precision", "f32", "-o", in("u.vti")}),
      "u.vti' is an input of this run and would be overwritten");
  expect_refused(on_cpu({"heat3d", "--set",
                         "u=" + in.write("bad.vti", "<VTKFile type=\"ImageData\">\n<X>\n")}),
                 "bad.vti:3: the file ends within <X>");
  grid<double> hole(extents(3, 3));
  hole(1, 2) = std::nan("");
  write_vti<double>(in("hole.vti"), std::as_const(hole).view());
  expect_refused(on_cpu({"heat2d", "--set", "u=" + in("hole.vti")}),
                 "hole.vti: expected finite values, found nan at [1, 2]");
  expect_refused(on_cpu({pair("[[sources]]\nfield = \"u\"\ncells = [[1, 1]]\nseries = \"" +
                              in("hole.vti") + "\"\n"),
                         "--size", "5x5"}),
                 "series: expected an array with a number for each step, or a .npy file");
}

TEST_F(cli_field_files, a_field_of_one_shape_comes_as_vti) {
  const auto u = random_field<double>(extents(9, 8));
  write_vti<double>(in("u.vti"), u.view());
  write_npy<double>(in("u.npy"), u.view());
  const auto run = [&](const std::string& end) {
    const std::string from = in("u" + end);
    const auto r = dwell_cli(on_cpu({"2d5pt", "--input", from, "--source", from, "--steps", "3",
                                     "-o", in("v" + end), "--quiet"}));
    EXPECT_EQ(r.code, 0) << r.err;
  };
  run(".vti");
  run(".npy");
  EXPECT_EQ(vti_reader(in("v.vti"), 2).values<double>(), read_npy<double>(in("v.npy")));
  expect_refused(on_cpu({"3d7pt", "--input", in("u.npy")}),
                 "3d7pt works on 3 dimensions, found 9x8");
  EXPECT_EQ(dwell_cli({"explain", "stencil", "2d5pt", "--size", "9x8", "--source", in("u.vti"),
                       "--device", "cpu"})
                .code,
            0);
  expect_refused(
      {"explain", "stencil", "2d5pt", "--size", "9x9", "--source", in("u.vti"), "--device", "cpu"},
      "u.vti: expected 9x9 cells as the field has, found 9x8");
}

TEST_F(cli_field_files, films_have_the_frames_of_the_run_and_the_run_its_bits) {
  png_animation<double> wanted;
  grid<double> end;
  each_step(11, [&](int step, const grid<double>&, const grid<double>& v) {
    if (step % 4 == 0 || step == 11) wanted.add(v.view(), step);
    end = v;
  });
  wanted.write(in("wanted.png"));
  for (const char* executor : {"naive", "persistent", "temporal"}) {
    const auto r = dwell_cli(on_cpu({pair(), "--size", "12x17", "--steps", "11", "--every", "4",
                                     "--field", "v", "--executor", executor, "--animation",
                                     in("v.png"), "-o", in("v.npy"), "--json", "-"}));
    ASSERT_EQ(r.code, 0) << r.err;
    EXPECT_EQ(read_text(in("v.png")), read_text(in("wanted.png"))) << executor;
    EXPECT_EQ(read_npy<double>(in("v.npy")), end) << executor;
    const auto j = r.json();
    EXPECT_EQ(j.at("executor"), executor);
    EXPECT_EQ(j.at("steps"), 11);
    EXPECT_EQ(j.at("animation").at("frames"), 4);
    EXPECT_EQ(j.at("animation").at("field"), "v");
    EXPECT_EQ(j.at("animation").at("least"), wanted.scale()->least);
    EXPECT_EQ(j.at("outputs")[0].at("what"), "animation");
  }
  const auto text =
      dwell_cli(on_cpu({pair(), "--size", "12x17", "--steps", "0", "--animation", in("v.png")}));
  EXPECT_TRUE(holds(text.out, "1 frame of u, every 1 step, colours from 0 to 1")) << text.err;
}

TEST_F(cli_field_files, reductions_and_ends_are_those_without_frames) {
  const std::string file = pair(
      "[reductions]\nevery = 3\nu = [\"sum\", \"change-norm2\"]\n[until]\nu = {change-norm-max = "
      "0.03}\n");
  const auto run = [&](arguments more) {
    arguments args = {file, "--size", "12x17", "--steps", "500", "--json", "-"};
    args.insert(args.end(), more.begin(), more.end());
    const auto r = dwell_cli(on_cpu(args));
    EXPECT_EQ(r.code, 0) << r.err;
    return r.json();
  };
  const auto plain = run({}), framed = run({"--animation", in("u.png"), "--every", "7"});
  EXPECT_EQ(plain.at("reductions"), framed.at("reductions"));
  EXPECT_EQ(plain.at("steps"), framed.at("steps"));
  EXPECT_EQ(framed.at("stop_reason"), "converged");
  const int steps = framed.at("steps");
  EXPECT_LT(steps, 500);
  EXPECT_EQ(framed.at("animation").at("frames"), steps / 7 + 1 + (steps % 7 != 0));
  EXPECT_TRUE(plain.at("animation").at("field").is_null());
  EXPECT_EQ(plain.at("animation").at("frames"), 0);
}

TEST_F(cli_field_files, frames_in_files_are_the_fields) {
  const auto r = dwell_cli(on_cpu({pair(), "--size", "12x17", "--steps", "10", "--every", "5",
                                   "--animation", in("u-{step}.npy"), "--json", "-"}));
  ASSERT_EQ(r.code, 0) << r.err;
  EXPECT_TRUE(r.json().at("animation").at("least").is_null());
  each_step(10, [&](int step, const grid<double>& u, const grid<double>&) {
    if (step % 5 != 0) return;
    const std::string file = step == 0 ? "u-00.npy" : step == 5 ? "u-05.npy" : "u-10.npy";
    EXPECT_EQ(read_npy<double>(in(file)), u) << step;
  });
  const auto pictures =
      dwell_cli(on_cpu({pair(), "--size", "12x17", "--steps", "5", "--every", "5", "--scale",
                        "-1:0.5", "--animation", in("u-{step}.png"), "--quiet"}));
  ASSERT_EQ(pictures.code, 0) << pictures.err;
  write_png<double>(in("wanted.png"), read_npy<double>(in("u-05.npy")).view(), png_scale{-1, 0.5});
  EXPECT_EQ(read_text(in("u-5.png")), read_text(in("wanted.png")));
  expect_refused(on_cpu({pair(), "--set", "u=" + in("u-05.npy"), "--steps", "20", "--every", "5",
                         "--animation", in("u-{step}.npy")}),
                 "u-05.npy' is an input of this run and would be overwritten");
}

TEST_F(cli_field_files, an_interrupted_run_has_its_frames) {
  const auto r = dwell_cli(
      on_cpu({pair(), "--size", "12x17", "--steps", "2000000000", "--every", "1000000",
              "--animation", in("u.png")}),
      {.terminal = true,
       .signal_when = [](const std::string& err) { return err.find("step ") != std::string::npos; },
       .signal = SIGINT});
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_TRUE(std::filesystem::exists(in("u.png")));
  EXPECT_TRUE(holds(r.out, "2 frames of u, every 1,000,000 steps"));
}

TEST_F(cli_field_files, options_that_do_not_fit_are_refused) {
  const auto refused = [&](arguments more, const std::string& part) {
    more.insert(more.begin(), {pair(), "--size", "12x17"});
    expect_refused(on_cpu(more), part);
  };
  refused({"--animation", in("u.gif")},
          "--animation: expected a name that ends in .png, or one with {step} in it");
  refused({"--animation", in("u.npy")}, "--animation: expected a name that ends in .png");
  refused({"--animation", "-"}, "--animation: expected a name that ends in .png");
  refused({"--animation", in("u-{step}.png")}, "--animation: expected --scale with it");
  refused({"--animation", in("none/u.png")}, "--animation: cannot write");
  refused({"--animation", in("u.png"), "-o", in("u.png")}, "it is also the file of");
  refused({"--every", "3"}, "--every: steps between two frames of --animation, which is not there");
  refused({"--animation", in("u.png"), "--every", "0"}, "--every");
  refused({"--animation", in("u.png"), "--steps", "1000000", "--every", "1"},
          "--every: expected at most 10000 frames, found 1000001");
  refused({"--field", "v"}, "--field: says what --output and --animation show");
  refused({"--field", "w", "-o", in("u.png")}, "--field: expected a field, found 'w'");
  refused({"--scale", "0:1"}, "--scale: of a picture (.png), which is not there");
  for (const char* bad : {"1:0", "0:0", "0", "0:nan", "a:b", "0:1:2", ""})
    refused({"--scale", bad, "-o", in("u.png")}, "--scale: expected two finite numbers");
  for (const char* option : {"--field", "--animation", "--every"})
    expect_refused(on_cpu({"2d5pt", "--size", "9x9", option, "3"}),
                   std::string(option) + ": is for stencils of several fields");
  expect_refused(on_cpu({"2d5pt", "--size", "9x9", "--hoist", "always"}),
                 "--hoist: is for stencils of several fields");
  refused({"--hoist", "yes"}, "--hoist: expected ");
  expect_refused(on_cpu({"2d5pt", "--size", "9x9", "--scale", "0:1"}), "--scale: of a picture");
  EXPECT_TRUE(
      std::ranges::none_of(in.files(), [](const std::string& f) { return f.ends_with(".png"); }));
  const auto one = dwell_cli(on_cpu(
      {"2d5pt", "--size", "9x9", "--steps", "0", "--scale", "-1:1", "-o", in("u.png"), "--quiet"}));
  EXPECT_EQ(one.code, 0) << one.err;
}

}  // namespace
}  // namespace dwell::test
