// SPDX-License-Identifier: MIT
// `dwell convert`, and .dwell files wherever a matrix is taken: the same bits in every format, one
// line where a file cannot be read, nothing left of what was not finished.
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <random>
#include <sstream>

#include "cli_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/is_symmetric.hpp"

namespace dwell::test {
namespace {

using strings = std::vector<std::string>;
using nlohmann::json;

std::string converted(const strings& args) {
  strings all = {"convert"};
  all.insert(all.end(), args.begin(), args.end());
  const auto r = dwell_cli(all);
  EXPECT_EQ(r.code, 0) << r.err;
  EXPECT_EQ(r.err, "");
  return r.out;
}
TEST(cli_convert, goes_there_and_back_without_a_change) {
  const scratch_folder in;
  const std::string text =
      "%%MatrixMarket matrix coordinate real general\n"
      "3 4 6\n1 1 0.1\n1 4 -0\n2 2 1e-310\n2 3 1.7976931348623157e308\n3 1 0\n3 3 -0.3\n";
  const auto said = converted({in.write("A.mtx", text), "-o", in("A.dwell")});
  EXPECT_TRUE(holds(said, "3 x 4, 6 entries, f64, general, ")) << said;
  converted({in("A.dwell"), "-o", in("B.mtx")});
  converted({in("B.mtx"), "-o", in("B.dwell")});
  converted({in("B.mtx"), "-o", in("C.mtx.gz"), "-q"});
  converted({in("C.mtx.gz"), "-o", in("C.dwell")});
  converted({in("A.dwell"), "-o", in("D.dwell")});
  for (const char* same : {"B.dwell", "C.dwell", "D.dwell"})
    EXPECT_EQ(read_text(in("A.dwell")), read_text(in(same))) << same;
  const auto lines = lines_of(read_text(in("B.mtx")));
  EXPECT_EQ(strings(lines.end() - 6, lines.end()),
            (strings{"1 1 0.1", "1 4 -0", "2 2 1e-310", "2 3 1.7976931348623157e+308", "3 1 0",
                     "3 3 -0.3"}));
}

TEST(cli_convert, knows_what_is_symmetric) {
  const scratch_folder in;
  converted({"poisson2d:9x8", "-o", in("A.dwell")});
  EXPECT_TRUE(ends(lines_of(converted({in("A.dwell"), "-o", in("A.mtx")})).front(), "B"));
  EXPECT_TRUE(starts(read_text(in("A.mtx")), "%%MatrixMarket matrix coordinate real symmetric\n"));
  const auto general = converted({in("A.dwell"), "--general", "-o", in("G.mtx")});
  EXPECT_TRUE(holds(general, "general, all entries"));
  EXPECT_TRUE(starts(read_text(in("G.mtx")), "%%MatrixMarket matrix coordinate real general\n"));
  converted({in("G.mtx"), "-o", in("G.dwell")});
  EXPECT_EQ(read_text(in("A.dwell")), read_text(in("G.dwell")));
  EXPECT_TRUE(holds(converted({"convection2d:9x8:3", "-o", in("N.dwell")}), "f64, general"));
  // A kind that is made whole, also by `dwell generate`.
  EXPECT_TRUE(holds(converted({"trefethen:30", "-o", in("T.dwell")}), "f64, symmetric"));
  ASSERT_EQ(dwell_cli({"generate", "trefethen:30", "-o", in("U.dwell")}).code, 0);
  EXPECT_EQ(read_text(in("T.dwell")), read_text(in("U.dwell")));
}

TEST(cli_convert, rounds_to_single_precision_where_that_is_asked_for) {
  const scratch_folder in;
  const auto text = in.write("A.mtx", two_by_two(0.1, 2, 3));
  EXPECT_TRUE(holds(converted({text, "-o", in("S.dwell"), "--precision", "f32"}), "f32, symm"));
  EXPECT_TRUE(holds(converted({in("S.dwell"), "-o", in("T.dwell")}), "f32"));
  EXPECT_EQ(read_text(in("S.dwell")), read_text(in("T.dwell")));
  EXPECT_TRUE(holds(converted({in("S.dwell"), "-o", in("W.dwell"), "--precision", "f64"}), "f64"));
  converted({in("W.dwell"), "-o", in("W.mtx")});
  EXPECT_TRUE(holds(read_text(in("W.mtx")), "1 1 0.10000000149011612\n"));
  const auto info = report_of({"info", in("S.dwell"), "--json", "-"});
  EXPECT_EQ(info.at("matrix").at("field"), "f32");
  EXPECT_EQ(info.at("matrix").at("layout"), "csr");
  EXPECT_EQ(info.at("symmetry").at("declared"), "symmetric");
  EXPECT_EQ(info.at("matrix").at("name"), "S");
  const auto large = in.write("L.mtx", two_by_two(1e300, 2, 3));
  expect_refused({"convert", large, "-o", in("L.dwell"), "--precision", "f32"}, "1e+300");
  converted({large, "-o", in("L.dwell")});
  expect_refused({"convert", in("L.dwell"), "-o", in("M.dwell"), "--precision", "f32"}, "1e+300");
}

TEST(cli_convert, is_read_by_every_command_that_takes_a_matrix) {
  const scratch_folder in;
  converted({"poisson2d:20x15", "-o", in("A.dwell")});
  converted({in("A.dwell"), "-o", in("A.mtx")});
  // Known by its first bytes.
  in.write("B.mtx", read_text(in("A.dwell")));
  const auto wanted = report_of({"cg", in("A.mtx"), "--device", "cpu", "--json", "-"});
  for (const char* name : {"A.dwell", "B.mtx"}) {
    const auto r = report_of({"cg", in(name), "--device", "cpu", "--json", "-"});
    EXPECT_EQ(r.at("iterations"), wanted.at("iterations"));
    EXPECT_EQ(r.at("residual"), wanted.at("residual"));
    EXPECT_EQ(r.at("matrix").at("nonzeros"), wanted.at("matrix").at("nonzeros"));
  }
  EXPECT_EQ(report_of({"explain", "cg", in("A.dwell"), "--device", "cpu", "--json", "-"})
                .at("matrix")
                .at("rows"),
            300);
  EXPECT_EQ(dwell_cli({"compare", "cg", in("A.dwell"), "--device", "cpu", "--repetitions", "1",
                       "--iterations", "3", "--no-peers"})
                .code,
            0);
  const auto piped =
      dwell_cli({"cg", "-", "--device", "cpu", "--json", "-"}, {.input = read_text(in("A.dwell"))});
  EXPECT_EQ(piped.code, 0) << piped.err;
  EXPECT_EQ(piped.json().at("iterations"), wanted.at("iterations"));
  EXPECT_TRUE(starts(dwell_cli({"convert", in("A.dwell"), "-o", "-"}).out, "%%MatrixMarket"));
}

TEST(cli_convert, refuses_in_one_line) {
  const scratch_folder in;
  converted({"poisson2d:20x15", "-o", in("A.dwell")});
  const std::string bytes = read_text(in("A.dwell"));
  expect_refused({"convert", "poisson2d:3x3"}, "--output is required");
  expect_refused({"convert", "poisson2d:3x3", "-o", in("x.txt")}, "found '" + in("x.txt") + "'");
  expect_refused({"convert", in("none.mtx"), "-o", in("x.dwell")}, "no such file");
  expect_refused({"convert", in("A.dwell"), "-o", in("A.dwell")}, "A.dwell");
  expect_refused({"convert", in("A.dwell"), "-o", in("B.dwell"), "--general"}, "--general");
  expect_refused({"convert", in("A.dwell"), "-o", in("B.mtx"), "--precision", "f32"},
                 "--precision");
  expect_refused({"convert", "poisson2d:3", "-o", in("x.dwell")}, "poisson2d:WxH");
  const auto changed = [&](std::size_t at, char by) {
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ by);
    return in.write("bad.dwell", other);
  };
  for (const strings& command : {strings{"cg"}, {"info"}, {"explain", "cg"}}) {
    const auto refused = [&](const std::string& file, const std::string& part) {
      strings args = command;
      args.push_back(file);
      expect_refused(args, part);
    };
    refused(changed(9, 1), "expected version 1 of the .dwell format");
    refused(changed(17, 1), "of the header, as it says, found ");
    refused(changed(100, 1), "bad.dwell: expected checksum ");
    refused(in.write("bad.dwell", bytes.substr(0, 1000)), " bytes for 300 rows and ");
    refused(in.write("bad.dwell", bytes + "x"), " bytes for 300 rows and ");
  }
  expect_refused({"convert", changed(bytes.size() - 9, 4), "-o", in("x.dwell")}, "checksum");
  EXPECT_EQ(in.files().size(), 2u);  // A.dwell and bad.dwell
}

// The rows of each rank, read by it or made by it: the report and the answer of the whole.
TEST(cli_convert, is_read_by_ranks_in_parts) {
  const scratch_folder in;
  for (const char* kind : {"poisson3d:12x11x10", "box3d:9", "jumps2d:60x55:100"}) {
    converted({kind, "-o", in("A.dwell")});
    converted({kind, "-o", in("A.mtx")});
    for (const char* precision : {"f64", "f32"}) {
      const auto with = [&](const std::string& matrix, strings more = {}) {
        strings args = {"cg",     matrix,        "--ranks", "3",      "--threads",
                        "1",      "--precision", precision, "--rtol", "1e-3",
                        "--json", in("r.json"),  "-q",      "-o",     in("x.npy")};
        args.insert(args.end(), more.begin(), more.end());
        EXPECT_EQ(dwell_cli(args).code, 0) << matrix;
        auto r = json::parse(read_text(in("r.json")));
        for (const char* other : {"time", "files", "memory", "setup"}) r.erase(other);
        r.at("matrix").erase("name");
        for (auto& rank : r.at("ranks")) rank.erase("solve_s");
        return std::pair(r, read_text(in("x.npy")));
      };
      const auto wanted = with(in("A.mtx"));
      for (const std::string& matrix : {in("A.dwell"), std::string(kind)}) {
        const auto got = with(matrix);
        EXPECT_EQ(got.second, wanted.second) << matrix;
        EXPECT_EQ(got.first.at("ranks"), wanted.first.at("ranks"));
        EXPECT_EQ(got.first.at("matrix"), wanted.first.at("matrix"));
        EXPECT_EQ(got.first.at("residual"), wanted.first.at("residual"));
        EXPECT_EQ(got.first.at("largest_error"), wanted.first.at("largest_error"));
      }
      EXPECT_EQ(with(in("A.dwell"), {"--rhs", "ones"}).second,
                with(in("A.mtx"), {"--rhs", "ones"}).second);
#ifdef DWELL_HAVE_METIS
      EXPECT_EQ(with(in("A.dwell"), {"--partition", "metis"}).second,
                with(in("A.mtx"), {"--partition", "metis"}).second);
#endif
      dwell_cli({"cg", kind, "--max-iterations", "3", "-q", "-o", in("b.npy")});
      EXPECT_EQ(with(in("A.dwell"), {"--rhs", in("b.npy"), "--x0", in("b.npy")}).second,
                with(in("A.mtx"), {"--rhs", in("b.npy"), "--x0", in("b.npy")}).second);
    }
  }
  // A right-hand side is checked as always, and so is damage that one rank alone sees.
  expect_refused({"cg", in("A.dwell"), "--ranks", "2", "--rhs", "companion"}, "has none");
  expect_refused({"cg", "poisson2d:9x9", "--ranks", "2", "--rhs", in("b.npy")},
                 "expected 81 values for the right-hand side");
  std::string bytes = read_text(in("A.dwell"));
  bytes[bytes.size() - 200] ^= 1;
  expect_refused({"cg", in.write("bad.dwell", bytes), "--ranks", "3"},
                 "bad.dwell: expected checksum");
  expect_refused({"cg", in.write("cut.dwell", bytes.substr(0, 5000)), "--ranks", "3"}, "cut.dwell");
  expect_refused({"cg", "poisson3d:3x3", "--ranks", "3"}, "poisson3d:WxHxD");
}

TEST(cli_convert, writes_kinds_as_generate_does) {
  const scratch_folder in;
  std::mt19937 random(5);
  for (const kind_help& kind : generated_kinds()) {
    std::string text = kind.kind.substr(0, kind.kind.find(':') + 1);
    if (text == "like:") continue;
    const std::string form = kind.kind.substr(text.size());  // WxHxD, say
    const bool three = holds(form, "xD") || holds(form, "xNZ"), one = !holds(form, "x");
    for (int axis = 0; axis < (one ? 1 : three ? 3 : 2); ++axis)
      text += (axis > 0 ? "x" : "") + std::to_string(2 + random() % 9);
    for (const char* more : {":PECLET", ":WAVES", ":WEAK", ":RATIO"})
      if (holds(kind.kind, more)) text += ":0.5";
    SCOPED_TRACE(text);
    const csr<double> whole = generate(text);
    write_binary_matrix(in("want.dwell"), whole.view(), is_symmetric(whole.view()));
    converted({text, "-o", in("A.dwell")});
    const auto said = dwell_cli({"generate", text, "-o", in("B.dwell")});
    EXPECT_EQ(said.code, 0) << said.err;
    for (const char* name : {"A.dwell", "B.dwell"})
      EXPECT_EQ(read_text(in(name)), read_text(in("want.dwell"))) << name;
    const auto text_said = dwell_cli({"generate", text, "--general", "-o", in("B.mtx")});
    const auto size_of = [](const std::string& line) {
      return line.substr(line.find(": "), line.find(" nonzeros") - line.find(": "));
    };
    EXPECT_EQ(size_of(said.out), size_of(text_said.out));
  }
}

// A few rows at a time, so that no size is refused; text is refused before anything is made.
TEST(cli_convert, and_generate_begin_to_write_what_32_bits_do_not_count) {
  const scratch_folder in;
  for (const char* kind : {"poisson2d:50000x50000", "box3d:1300", "poisson3d:700x700x700"})
    for (const char* command : {"generate", "convert"}) {
      SCOPED_TRACE(std::string(command) + " " + kind);
      const auto full = dwell_cli({command, kind, "-o", in("A.dwell")}, {.file_size = 1 << 20});
      EXPECT_EQ(full.code, 1);
      EXPECT_TRUE(holds(full.err, "File too large")) << full.err;
      for (const std::string& to : {in("A.mtx"), in("A.mtx.gz"), std::string("-")})
        expect_refused(
            {command, kind, "-o", to},
            "--output: expected a name that ends in .dwell, a file that is written a few "
            "rows at a time, for more than 2147483647 rows or nonzeros, found '" +
                to + "'");
      EXPECT_TRUE(in.files().empty());
    }
  expect_refused({"generate", "elasticity3d:900x900x900", "-o", in("A.dwell")},
                 "with at most 2147483647 nonzeros");
}

// Before contents are read: they are damaged, and nobody says so.
TEST(cli_convert, sizes_that_do_not_fit_are_found_by_the_header) {
  const scratch_folder in;
  std::mt19937 random(8);
  for (const bool square : {false, true}) {
    const int rows = 40 + static_cast<int>(random() % 100), cols = square ? rows : rows + 1;
    std::string text = "%%MatrixMarket matrix coordinate real general\n" + std::to_string(rows) +
                       " " + std::to_string(cols) + " " + std::to_string(rows) + "\n";
    for (int i = 1; i <= rows; ++i) text += std::to_string(i) + " " + std::to_string(i) + " 2\n";
    converted({in.write("A.mtx", text), "-o", in("A.dwell")});
    std::string bytes = read_text(in("A.dwell"));
    bytes[bytes.size() - 20] ^= 1;  // a checksum
    const auto damaged = in.write("B.dwell", bytes);
    const int other = rows + (random() % 2 ? 1 : -1);
    std::string vector =
        "%%MatrixMarket matrix array real general\n" + std::to_string(other) + " 1\n";
    for (int i = 0; i < other; ++i) vector += "1\n";
    const auto file = in.write("b.mtx", vector);
    if (!square) {
      for (const strings& command : {strings{"solve"}, {"cg"}, {"explain", "solve"}}) {
        strings args = command;
        args.push_back(damaged);
        expect_refused(args, damaged + ": expected as many rows as columns, found " +
                                 std::to_string(rows) + " x " + std::to_string(cols));
      }
      continue;
    }
    const std::string found = std::to_string(rows) + " ",
                      one = "one per row of B, found " + std::to_string(other);
    for (const char* ranks : {"", "2"}) {
      const auto refused = [&](strings args, const std::string& message) {
        args.insert(args.begin(), {"solve", damaged});
        if (*ranks) args.insert(args.end(), {"--ranks", ranks});
        expect_refused(args, file + ":2: expected " + found + message + one);
      };
      refused({"--rhs", file}, "values for the right-hand side, ");
      refused({"--x0", file}, "values for the start vector, ");
      if (*ranks) continue;
      refused({"--null-vectors", file}, "rows of null vectors, ");
      refused({"--near-null", file, "--preconditioner", "amg"}, "rows of near-null vectors, ");
    }
    expect_refused({"explain", "solve", damaged, "--near-null", file, "--preconditioner", "amg"},
                   file + ":2: expected " + found + "rows of near-null vectors, " + one);
    expect_refused({"solve", damaged}, damaged + ": expected checksum");
  }
}

TEST(cli_convert, text_of_both_triangles_is_asked_for_where_they_differ) {
  const scratch_folder in;
  for (const char* kind : {"convection2d:9x8:3", "convection2d:2x1:0.1"}) {
    expect_refused({"generate", kind, "-o", in("A.mtx")},
                   std::string(kind) + ": expected --general for a matrix that is not symmetric");
    EXPECT_EQ(dwell_cli({"generate", kind, "--general", "-o", in("A.mtx")}).code, 0);
  }
  EXPECT_EQ(dwell_cli({"generate", "convection2d:9x8:0", "-o", in("B.mtx")}).code, 0);
}

TEST(cli_convert, interrupted_leaves_nothing_behind) {
  const scratch_folder in;
  const auto writing = [](const std::string& err) {
    return err.find("writing") != std::string::npos;
  };
  const auto r = dwell_cli({"convert", "poisson3d:500x500x500", "-o", in("A.dwell")},
                           {.terminal = true, .signal_when = writing, .signal = SIGINT});
  EXPECT_EQ(r.code, 130) << r.err;
  EXPECT_TRUE(in.files().empty());
  const auto full =
      dwell_cli({"convert", "poisson3d:60x60x60", "-o", in("A.dwell")}, {.file_size = 1 << 20});
  EXPECT_EQ(full.code, 1);
  EXPECT_TRUE(holds(full.err, "File too large")) << full.err;
  EXPECT_TRUE(in.files().empty());
}

}  // namespace
}  // namespace dwell::test
