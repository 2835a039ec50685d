// SPDX-License-Identifier: MIT
// dwell convolve and dwell compare convolve: pictures and arrays in and out, refusals before the
// run, what the tables say.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <type_traits>

#include "cli_runner.hpp"
#include "sanitized.hpp"

#include "dwell/formats/npy.hpp"
#include "dwell/formats/picture.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;

/// A grey picture of 9 x 12 with one white pixel.
picture dot() {
  picture p{grid<float>(extents(1, 9, 12)), 255};
  p.channels(0, 4, 5) = 255;
  return p;
}

class cli_convolve : public testing::Test {
 protected:
  cli_outcome run(strings args) {
    args.insert(args.begin(), "convolve");
    args.insert(args.end(), {"--device", "cpu"});
    return dwell_cli(args);
  }
  scratch_folder in;
};

TEST_F(cli_convolve, blurs_a_picture) {
  write_picture(in("dot.png"), dot());
  const auto r = run({in("dot.png"), "--filter", "box:3", "-o", in("out.pgm")});
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_NE(r.out.find("box:3, 3x3 taps, border reflect"), std::string::npos) << r.out;
  const picture out = read_picture(in("out.pgm"));
  for (int y = 0; y < 9; ++y)
    for (int x = 0; x < 12; ++x)
      EXPECT_EQ(out.channels(0, y, x), y >= 3 && y <= 5 && x >= 4 && x <= 6 ? 28 : 0);
}

TEST_F(cli_convolve, says_what_a_picture_loses) {
  write_picture(in("dot.png"), dot());
  const auto r = run({in("dot.png"), "--filter", "sobel-x", "-o", in("out.png")});
  EXPECT_EQ(r.code, 0);
  EXPECT_NE(r.err.find("4 values of the picture are cut off at 0 or 255"), std::string::npos)
      << r.err;
  const auto whole =
      run({in("dot.png"), "--filter", "sobel-x", "--range", "stretch", "-o", in("all.png")});
  EXPECT_EQ(whole.err, "");
  const picture all = read_picture(in("all.png"));
  EXPECT_EQ(all.channels(0, 4, 4), 255);  // grows to the right there
  EXPECT_EQ(all.channels(0, 4, 6), 0);
  EXPECT_EQ(all.channels(0, 0, 0), 128);
}

TEST_F(cli_convolve, channels_are_images) {
  picture p{grid<float>(extents(3, 5, 6)), 65535};
  for (int c = 0; c < 3; ++c) p.channels(c, 2, 2) = static_cast<float>(900 * (c + 1));
  write_picture(in("in.ppm"), p);
  const auto r = run({in("in.ppm"), "--filter", "box:3", "-o", in("out.png"), "--json", "-"});
  EXPECT_EQ(r.json().at("images"), 3);
  const picture out = read_picture(in("out.png"));
  EXPECT_EQ(out.white, 65535);
  for (int c = 0; c < 3; ++c) EXPECT_EQ(out.channels(c, 1, 1), 100 * (c + 1));
}

/// A picture of 8 bits and an array of them are read as they are, with the sums of f32.
TEST_F(cli_convolve, images_of_8_and_of_16_bits) {
  write_picture(in("dot.png"), dot());
  const auto picture = run({in("dot.png"), "--filter", "box:3", "--json", "-"}).json();
  EXPECT_EQ(picture.at("cells"), "u8");
  EXPECT_EQ(picture.at("precision"), "f32");
  EXPECT_EQ(picture.at("result"), "f32");
  EXPECT_EQ(picture.at("bytes"), 9 * 12 * 5);

  grid<std::uint8_t> u(extents(5, 6), 10);
  u(2, 2) = 255;
  write_npy<std::uint8_t>(in("u.npy"), u.view());
  EXPECT_EQ(run({in("u.npy"), "--filter", "box:3", "-o", in("sums.npy"), "-q"}).code, 0);
  EXPECT_FLOAT_EQ(read_npy<float>(in("sums.npy"))(1, 1), (8 * 10 + 255) / 9.0f);
  const auto rounded =
      run({in("u.npy"), "--filter", "box:3", "--out-type", "input", "-o", in("v.npy")});
  EXPECT_NE(rounded.out.find("5x6 cells, u8, summed in f32 and rounded"), std::string::npos)
      << rounded.out;
  npy_reader v(in("v.npy"), npy_accepts::all);
  EXPECT_EQ(v.facts().cells, npy_cells::u8);
  EXPECT_EQ(v.values<std::uint8_t>()(1, 1), 37);  // rounded from 37.2

  grid<half> h(extents(4, 4), half(0.25f));
  write_npy<half>(in("h.npy"), h.view());
  EXPECT_EQ(
      run({in("h.npy"), "--filter", "laplacian", "--out-type", "input", "-o", in("l.npy"), "-q"})
          .code,
      0);
  EXPECT_EQ(npy_reader(in("l.npy"), npy_accepts::all).values<half>()(1, 1), half(0.0f));
}

TEST_F(cli_convolve, an_array_by_a_filter_of_a_file) {
  grid<double> u(extents(3, 4)), w(extents(1, 3));
  u(1, 1) = 2;
  w(0, 0) = 1;
  w(0, 2) = 5;
  write_npy<double>(in("u.npy"), u.view());
  write_npy<double>(in("w.npy"), w.view());
  EXPECT_EQ(run({in("u.npy"), "--filter", in("w.npy"), "-o", in("v.npy"), "-q"}).code, 0);
  const auto v = read_npy<double>(in("v.npy"));
  EXPECT_EQ(v(1, 0), 2);
  EXPECT_EQ(v(1, 2), 10);
  EXPECT_EQ(run({in("u.npy"), "--filter", in("w.npy"), "--correlate", "-o", in("v.npy")}).code, 0);
  EXPECT_EQ(read_npy<double>(in("v.npy"))(1, 0), 10);
}

TEST_F(cli_convolve, planes_or_a_volume) {
  grid<float> u(extents(3, 3, 3));
  u(1, 1, 1) = 27;
  write_npy<float>(in("u.npy"), u.view());
  EXPECT_EQ(run({in("u.npy"), "--filter", "box:3", "-o", in("planes.npy")}).code, 0);
  EXPECT_EQ(read_npy<float>(in("planes.npy"))(0, 1, 1), 0);
  EXPECT_NEAR(read_npy<float>(in("planes.npy"))(1, 0, 0), 3, 1e-5);
  EXPECT_EQ(run({in("u.npy"), "--filter", "box:3", "--volume", "-o", in("volume.npy")}).code, 0);
  EXPECT_NEAR(read_npy<float>(in("volume.npy"))(0, 1, 1), 1, 1e-5);
}

template <class T>
std::size_t nonfinite_in(const std::string& file) {
  npy_reader reader(file, npy_accepts::all);
  const grid<T> values = reader.values<T>();
  std::size_t count = 0;
  for (const T v : values.cells())
    if constexpr (std::is_same_v<T, half>)
      count += !std::isfinite(static_cast<float>(v));
    else
      count += !std::isfinite(v);
  return count;
}

template <class T>
T in_type(double v) {
  if constexpr (std::is_same_v<T, half>)
    return half(static_cast<float>(v));
  else
    return static_cast<T>(v);
}

/// Images of finite values, some near the largest of their type, and of some that are not finite:
/// the outcome is counted in the file that was written.
template <class In, class Out>
void expect_nonfinite_said(scratch_folder& in, unsigned seed) {
  SCOPED_TRACE(seed);
  std::mt19937 random(seed);
  const bool apart = random() % 2, high = random() % 3 != 0, bad = random() % 3 == 0;
  const double most = sizeof(In) == 8 ? 1.7e308 : sizeof(In) == 4 ? 3.3e38 : 65000;
  grid<In> u(extents(1 + int(random() % 9), 1 + int(random() % 9)));
  for (auto& v : u.cells())
    v = in_type<In>((high && random() % 4 == 0 ? most : 1) * (random() % 2 ? 1 : -1));
  if (bad) u.cells()[random() % u.cells().size()] = in_type<In>(random() % 2 ? NAN : INFINITY);
  const std::string from = in("u.npy"), to = apart ? in("v.npy") : from;
  write_npy<In>(from, u.view());
  const std::string before = read_text(from);
  const char* filters[] = {"box:3", "laplacian", "sharpen", "gaussian:5"};
  const auto r =
      dwell_cli({"convolve", from, "--device", "cpu", "--filter", filters[random() % 4],
                 "--out-type", std::is_same_v<In, Out> ? "input" : "sums", "-o", to, "-q"});
  if (r.code == 3) {
    EXPECT_FALSE(bad);
    EXPECT_TRUE(r.err.find("beyond the largest number of ") != std::string::npos) << r.err;
    if (!apart) {
      EXPECT_EQ(read_text(from), before);
      EXPECT_TRUE(r.err.find("is kept as it was") != std::string::npos) << r.err;
      return;
    }
  }
  const std::size_t count = nonfinite_in<Out>(to);
  EXPECT_EQ(r.code, count > 0 && !bad ? 3 : 0) << r.err;
  if (count == 0) {
    EXPECT_EQ(r.err, "");
  } else {
    const std::string said = std::to_string(count) + (count == 1 ? " value" : " values") +
                             (bad ? " of the outcome are not finite: 1 of the image are not"
                                  : " of the outcome beyond the largest number of ");
    EXPECT_TRUE(r.err.find(said) != std::string::npos) << r.err;
  }
}

TEST_F(cli_convolve, says_values_that_are_not_finite) {
  for (unsigned seed = 1; seed <= unsigned(rounds(12)); ++seed) {
    expect_nonfinite_said<double, double>(in, seed);
    expect_nonfinite_said<float, float>(in, seed + 1000);
    expect_nonfinite_said<half, half>(in, seed + 2000);
    expect_nonfinite_said<half, float>(in, seed + 3000);
  }
}

TEST_F(cli_convolve, stretches_any_range_over_a_picture) {
  for (const double most : {1.7e308, 1.0, 1e-3, 4.9e-324}) {
    grid<double> u(extents(1, 3));
    u(0, 0) = -most;
    u(0, 2) = most;
    write_npy<double>(in("u.npy"), u.view());
    const auto r = run({in("u.npy"), "--filter", "box:1", "--range", "stretch", "-o", in("u.png")});
    EXPECT_EQ(r.code, 0) << r.err;
    const picture p = read_picture(in("u.png"));
    const float expected[] = {0, 128, 255};
    for (int x = 0; x < 3; ++x) EXPECT_EQ(p.channels(0, 0, x), expected[x]) << most;
  }
}

TEST_F(cli_convolve, refusals) {
  write_picture(in("dot.png"), dot());
  const auto refused = [&](strings args, const std::string& part) {
    args.insert(args.begin(), "convolve");
    expect_refused(args, part);
  };
  refused({in("dot.png"), "--filter", "blur"}, "--filter: expected gaussian:N");
  refused({in("dot.png"), "--filter", "box:3", "-o", in("x.jpg")}, "ends in .npy, .png");
  refused({in("dot.png"), "--filter", "box:3", "-o", in("x.ppm")},
          "--output: expected 3 planes for a .ppm, found 1");
  refused({in("dot.png"), "--filter", "box:3", "--range", "stretch"}, "--range: expected an");
  refused({in("none.png"), "--filter", "box:3"}, "none.png");
  refused({in("dot.png"), "--filter", "laplacian", "--passes", "each-axis"}, "product");
  refused({in("dot.png"), "--filter", in("none.npy")}, "none.npy");
  refused({in("dot.png"), "--filter", "box:3", "--border", "mirror"}, "--border");
}

TEST(cli_compare_convolve, times_calls_and_calls_in_a_row) {
  const auto r = dwell_cli({"compare", "convolve", "--size", "30x40", "--filter", "box:3",
                            "--repetitions", "3", "--device", "cpu", "--format", "json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  const auto& runs = j.at("convolutions")[0].at("runs");
  for (const auto& run : runs)
    for (const char* kind : {"time", "in_a_row"}) {
      const auto& us = run.at(kind).at("us");
      ASSERT_EQ(us.at("all").size(), 3u) << run;
      EXPECT_GT(us.at("min"), 0) << run;
      EXPECT_EQ(us.at("median"), us.at("all")[1]) << run;
    }
  const double us = runs[1].at("in_a_row").at("us").at("median");
  EXPECT_NEAR(runs[1].at("cells_per_s"), 30 * 40 / us * 1e6, 1);
}

TEST(cli_compare_convolve, images_of_8_and_of_16_bits) {
  for (const char* cells : {"u8", "f16"})
    for (const char* out : {"sums", "input"}) {
      const auto j = dwell_cli({"compare", "convolve", "--size", "40x70", "--filter", "box:3",
                                "--device", "cpu", "--repetitions", "1", "--format", "json",
                                "--cells", cells, "--out-type", out})
                         .json();
      EXPECT_EQ(j.at("cells"), cells);
      EXPECT_EQ(j.at("result"), out == std::string("sums") ? "f32" : cells);
      for (const auto& run : j.at("convolutions").at(0).at("runs"))
        EXPECT_EQ(run.at("same_bits"), true) << run;
    }
  expect_refused({"compare", "convolve", "--size", "9x9", "--filter", "box:3", "--cells", "u8",
                  "--precision", "f64"},
                 "--cells: expected --precision f32");
}

TEST(cli_compare_convolve, all_ways_have_the_same_bits) {
  const auto r =
      dwell_cli({"compare", "convolve", "--size", "40x200,5x6x7", "--filter", "box:3,gaussian:9",
                 "--repetitions", "1", "--device", "cpu", "--format", "json"});
  ASSERT_EQ(r.code, 0) << r.err;
  const auto j = r.json();
  EXPECT_EQ(j.at("convolutions").size(), 4u);
  for (const auto& c : j.at("convolutions"))
    for (const auto& run : c.at("runs"))
      EXPECT_TRUE(run.at("passes") > 1 || run.at("same_bits") == true) << run;
  expect_refused({"compare", "convolve", "--size", "9x9", "--filter", "box:3,blur"}, "--filter");
}

TEST_F(cli_convolve, says_that_alpha_is_left_out) {
  // One pixel of red, green, blue and alpha.
  const std::string hex =
      "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d494441"
      "54789c636064626601000019000be75a46a40000000049454e44ae426082";
  std::string png;
  for (std::size_t k = 0; k < hex.size(); k += 2)
    png += static_cast<char>(std::stoi(hex.substr(k, 2), nullptr, 16));
  const auto file = in.write("a.png", png);
  const auto r = run({file, "--filter", "box:1", "-o", file, "--json", "-"});
  EXPECT_EQ(r.code, 0) << r.err;
  const std::string said = file + ": its alpha channel (how opaque pixels are) is left out";
  EXPECT_EQ(r.err, "dwell: warning: " + said + "\n");
  EXPECT_EQ(r.json().at("warnings").at(0), said);
  const auto again = run({file, "--filter", "box:1", "-q"});
  EXPECT_EQ(again.err, "") << "what was written has none";
}

}  // namespace
}  // namespace dwell::test
