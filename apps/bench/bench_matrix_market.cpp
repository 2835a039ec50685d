// SPDX-License-Identifier: MIT
// How fast matrices come in: MB/s of text for a plain and a gzip-compressed file (from the file to
// CSR), the share of decompression alone, and entries per second of triplets to CSR. Medians.
//   bench-matrix-market [--threads N] [--repeat N] [FILE...]
// Without a file it writes three of its own to a temporary folder: short values (ecology2's kind),
// values of 16 digits (bmwcra_1's kind), and a pattern.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/gzip_stream.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/triplets.hpp"

namespace {

namespace fs = std::filesystem;

/// Wall time, and processor time of all threads together: what the work costs on a busy machine
/// too.
struct cost {
  double seconds = 0;
  double processor = 0;
};

double median(std::vector<double> v) {
  std::nth_element(v.begin(), v.begin() + v.size() / 2, v.end());
  return v[v.size() / 2];
}

template <class F>
cost median_cost(int repeat, F&& f) {
  std::vector<double> wall, processor;
  for (int i = 0; i < repeat; ++i) {
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t before = std::clock();
    f();
    processor.push_back(static_cast<double>(std::clock() - before) / CLOCKS_PER_SEC);
    wall.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
  }
  return {median(wall), median(processor)};
}

/// The 5-point mesh of n x n as a file in column-major order, lower triangle.
std::string mesh(int n, const std::string& field, const std::function<std::string(bool)>& value) {
  std::string body;
  std::int64_t entries = 0;
  const int rows = n * n;
  for (int c = 0; c < rows; ++c)
    for (const int r : {c, (c + 1) % n ? c + 1 : rows, c + n})
      if (r < rows) {
        body += fmt::format("{} {}{}\n", r + 1, c + 1, value(r == c));
        ++entries;
      }
  return fmt::format("%%MatrixMarket matrix coordinate {} symmetric\n{} {} {}\n", field, rows, rows,
                     entries) +
         body;
}

void write_plain(const fs::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary) << text;
}

std::string gunzip(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string packed(std::istreambuf_iterator<char>(in), {});
  std::string text;
  std::string_view rest = packed;
  dwell::mm::gzip_stream stream([&] { return std::exchange(rest, {}); }, file.string());
  for (auto block = stream.next(); !block.empty(); block = stream.next()) text += block;
  return text;
}

void line(const std::string& what, const std::string& name, double amount, const std::string& unit,
          cost c) {
  fmt::print("{:<26} {:<20} {:>8.1f} ms {:>8.1f} {:<10} processor {:>8.1f} ms\n", what, name,
             1e3 * c.seconds, amount / c.seconds / 1e6, unit, 1e3 * c.processor);
}

void bench_file(const fs::path& file, int threads, int repeat) {
  dwell::mm_matrix m;
  const std::string name = file.filename().string();
  double bytes = static_cast<double>(fs::file_size(file));
  if (name.ends_with(".gz")) {
    const cost unpack =
        median_cost(repeat, [&] { bytes = static_cast<double>(gunzip(file).size()); });
    line("decompress only", name, bytes, "MB/s", unpack);
  }
  const cost read = median_cost(repeat, [&] { m = dwell::read_matrix_market(file, threads); });
  line("file to CSR", name, bytes, "MB/s", read);
  dwell::triplets<double> t{m.matrix.rows, m.matrix.cols, {}, m.matrix.col, m.matrix.val};
  for (dwell::index i = 0; i < m.matrix.rows; ++i)
    t.row.insert(t.row.end(),
                 static_cast<std::size_t>(m.matrix.row_ptr[i + 1] - m.matrix.row_ptr[i]), i);
  const cost sorted = median_cost(repeat, [&] { dwell::to_csr(t, threads); });
  line("triplets to CSR, in order", name, static_cast<double>(t.row.size()), "Mentries/s", sorted);
  std::vector<std::size_t> order(t.row.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  auto shuffled = t;
  for (std::size_t k = 0; k < order.size(); ++k) {
    shuffled.row[k] = t.row[order[k]];
    shuffled.col[k] = t.col[order[k]];
    shuffled.val[k] = t.val[order[k]];
  }
  const cost random = median_cost(repeat, [&] { dwell::to_csr(shuffled, threads); });
  line("triplets to CSR, shuffled", name, static_cast<double>(t.row.size()), "Mentries/s", random);
}

}  // namespace

int main(int argc, char** argv) try {
  int threads = dwell::default_threads(), repeat = 7;
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if ((word == "--threads" || word == "--repeat") && i + 1 < argc)
      (word == "--threads" ? threads : repeat) = std::max(1, std::stoi(argv[++i]));
    else if (word.starts_with("-"))
      throw dwell::input_error("usage: bench-matrix-market [--threads N] [--repeat N] [FILE...]");
    else
      files.push_back(word);
  }
  fmt::print("threads {}, median of {}; MB of uncompressed text, 10^6 bytes\n", threads, repeat);
  for (const fs::path& file : files) bench_file(file, threads, repeat);
  if (!files.empty()) return 0;

  const fs::path folder = fs::temp_directory_path() / fmt::format("dwell-bench-{}", ::getpid());
  fs::create_directory(folder);
  std::mt19937_64 random(42);
  std::uniform_real_distribution<double> real(-1, 1);
  const auto short_value = [](bool diagonal) { return std::string(diagonal ? " 40.0" : " -10.0"); };
  const auto long_value = [&](bool) { return fmt::format(" {:.15e}", real(random)); };
  const auto no_value = [](bool) { return std::string(); };
  write_plain(folder / "short.mtx", mesh(1000, "real", short_value));
  write_plain(folder / "long.mtx", mesh(1000, "real", long_value));
  write_plain(folder / "pattern.mtx", mesh(1000, "pattern", no_value));
  for (const char* name : {"short.mtx", "long.mtx", "pattern.mtx"})
    bench_file(folder / name, threads, repeat);
  const auto m = dwell::read_matrix_market(folder / "long.mtx");
  dwell::write_matrix_market(folder / "long.mtx.gz", m.matrix.view(),
                             {dwell::mm_symmetry::symmetric, ""});
  bench_file(folder / "long.mtx.gz", threads, repeat);
  fs::remove_all(folder);
  return 0;
} catch (const std::exception& e) {
  fmt::print(stderr, "bench-matrix-market: {}\n", e.what());
  return 1;
}
