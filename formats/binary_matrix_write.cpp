// SPDX-License-Identifier: MIT
// The writer of .dwell files: front to back, the checksums counted on the way and written last.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/binary_matrix_layout.hpp"

namespace dwell {
namespace {

/// Elements that are converted at a time.
constexpr std::size_t converted_at_once = 1 << 16;

/// f(elements converted to To) for a batch after another; convert may throw.
template <class To, class From, class Convert, class F>
void in_batches(std::span<const From> from, Convert&& convert, F&& f) {
  std::vector<To> some;
  for (std::size_t at = 0; at < from.size(); at += converted_at_once) {
    some.clear();
    for (const From v : from.subspan(at, std::min(converted_at_once, from.size() - at)))
      some.push_back(static_cast<To>(convert(v)));
    f(some.data(), some.size() * sizeof(To));
  }
}

}  // namespace

struct binary_matrix_writer::state {
  state(const std::filesystem::path& path, const binary_matrix_header& h)
      : name(printable(path.string())), header(h), at(binary::lay_out(h, name)), file(path) {
    if (h.symmetric && h.rows != h.cols)
      fail(fmt::format("expected as many rows as columns of a symmetric matrix, found {} and {}",
                       h.rows, h.cols));
    file.write(binary::encode(h));
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw input_error(fmt::format("{}: {}", name, what));
  }

  /// The array of this number, 0 to 2, takes bytes; the one before it is whole.
  void enter(int array, std::size_t elements) {
    static constexpr const char* names[] = {"row_ptr", "columns", "values"};
    const std::int64_t sizes[] = {header.rows + 1, header.nonzeros, header.nonzeros};
    while (current < array && count == sizes[current]) end_array();
    if (current != array)
      fail(fmt::format("expected {} {} of the matrix before others, found {}",
                       sizes[std::min(current, 2)], names[std::min(current, 2)], count));
    const std::int64_t left = sizes[array] - count;
    if (static_cast<std::uint64_t>(elements) > static_cast<std::uint64_t>(left))
      fail(fmt::format("expected {} {}, found more", sizes[array], names[array]));
    count += static_cast<std::int64_t>(elements);
  }
  void end_array() {
    constexpr char zeros[8] = {};
    put(zeros, static_cast<std::size_t>((8 - written % 8) % 8));
    if (in_block > 0) end_block();
    ++current;
    count = written = 0;
  }
  void put(const void* data, std::size_t bytes) {
    std::string_view left(static_cast<const char*>(data), bytes);
    file.write(left);
    written += static_cast<std::int64_t>(bytes);
    while (!left.empty()) {
      const auto n =
          std::min(left.size(), static_cast<std::size_t>(binary::block_bytes) - in_block);
      sum = binary::checksum(sum, left.substr(0, n));
      in_block += n;
      left.remove_prefix(n);
      if (in_block == static_cast<std::size_t>(binary::block_bytes)) end_block();
    }
  }
  void end_block() {
    sums.push_back(sum);
    sum = 0;
    in_block = 0;
  }

  template <class I>
  void put_columns(std::span<const I> next) {
    for (const I column : next)
      if (column < 0 || column >= header.cols)
        fail(fmt::format("expected columns from 0 to {}, found {}", header.cols - 1, column));
    enter(1, next.size());
    const auto same = [](I v) { return v; };
    const auto to_file = [&](const void* data, std::size_t bytes) { put(data, bytes); };
    if (static_cast<int>(sizeof(I)) == header.column_bytes())
      put(next.data(), next.size_bytes());
    else if (header.column_bytes() == 4)
      in_batches<std::int32_t>(next, same, to_file);
    else
      in_batches<std::int64_t>(next, same, to_file);
  }

  template <class T>
  void put_values(std::span<const T> next) {
    for (const T v : next)
      if (!std::isfinite(v)) fail(fmt::format("expected finite values, found {}", v));
    enter(2, next.size());
    const auto to_file = [&](const void* data, std::size_t bytes) { put(data, bytes); };
    if (static_cast<int>(sizeof(T)) == header.value_bytes())
      return put(next.data(), next.size_bytes());
    if (!header.single)
      return in_batches<double>(
          next, [](T v) { return double(v); }, to_file);
    in_batches<float>(
        next,
        [&](T v) {
          const auto rounded = static_cast<float>(v);
          if (!std::isfinite(rounded))
            fail(fmt::format("expected values in the range of single precision, found {}", v));
          return rounded;
        },
        to_file);
  }

  std::string name;
  binary_matrix_header header;
  binary::layout at;
  atomic_file file;
  int current = 0;            ///< array; 3: all are whole
  std::int64_t count = 0;     ///< elements of it that have come
  std::int64_t written = 0;   ///< bytes of it
  std::int64_t last_ptr = 0;  ///< end of the rows so far
  std::uint32_t sum = 0;      ///< checksum of the block so far
  std::size_t in_block = 0;   ///< bytes of it
  std::vector<std::uint32_t> sums;
};

binary_matrix_writer::binary_matrix_writer(const std::filesystem::path& file,
                                           const binary_matrix_header& header)
    : s_(std::make_unique<state>(file, header)) {}
binary_matrix_writer::~binary_matrix_writer() = default;

void binary_matrix_writer::row_ptr(std::span<const std::int64_t> next) {
  state& s = *s_;
  for (std::size_t k = 0; k < next.size(); ++k) {
    const bool first = s.count == 0 && k == 0;
    if (first ? next[k] != 0 : next[k] < s.last_ptr)
      s.fail(fmt::format("expected row_ptr {}, found {}",
                         first ? "to begin with 0" : "not to decrease", next[k]));
    s.last_ptr = next[k];
  }
  s.enter(0, next.size());
  if (s.count == s.header.rows + 1 && s.last_ptr != s.header.nonzeros)
    s.fail(fmt::format("expected row_ptr to end with {}, the nonzeros, found {}", s.header.nonzeros,
                       s.last_ptr));
  s.put(next.data(), next.size_bytes());
}

void binary_matrix_writer::columns(std::span<const std::int64_t> next) { s_->put_columns(next); }
void binary_matrix_writer::columns(std::span<const index> next) { s_->put_columns(next); }
void binary_matrix_writer::values(std::span<const double> next) { s_->put_values(next); }
void binary_matrix_writer::values(std::span<const float> next) { s_->put_values(next); }

void binary_matrix_writer::commit() {
  state& s = *s_;
  s.enter(2, 0);
  if (s.count != s.header.nonzeros)
    s.fail(fmt::format("expected {} values, found {}", s.header.nonzeros, s.count));
  s.end_array();
  s.file.write({reinterpret_cast<const char*>(s.sums.data()), s.sums.size() * 4});
  s.file.commit();
}

template <class T>
void write_binary_matrix(const std::filesystem::path& file, const csr_view<T>& a, bool symmetric) {
  check(a, "matrix");
  binary_matrix_writer out(file, {a.rows, a.cols, a.nonzeros(), sizeof(T) == 4, symmetric});
  if (a.rows == 0) out.row_ptr(std::vector<std::int64_t>{0});
  if (a.rows > 0)
    in_batches<std::int64_t>(
        std::span(a.row_ptr, static_cast<std::size_t>(a.rows) + 1), [](index v) { return v; },
        [&](const std::int64_t* some, std::size_t bytes) {
          out.row_ptr({some, bytes / 8});
        });
  const auto nonzeros = static_cast<std::size_t>(a.nonzeros());
  out.columns(std::span(a.col, nonzeros));
  out.values(std::span(a.val, nonzeros));
  out.commit();
}
template void write_binary_matrix(const std::filesystem::path&, const csr_view<double>&, bool);
template void write_binary_matrix(const std::filesystem::path&, const csr_view<float>&, bool);

void write_binary_matrix(const std::filesystem::path& file, const row_source& a, bool single) {
  binary_matrix_writer out(file, {a.rows(), a.cols(), a.nonzeros(), single, a.symmetric()});
  // So many nonzeros at a time, or one row.
  constexpr std::int64_t at_once = 1 << 22;
  const std::int64_t parts = (a.nonzeros() + a.rows()) / at_once + 1;
  const auto each_part = [&](auto&& f) {
    for (std::int64_t p = 0; p < parts; ++p) {
      const auto at = [&](std::int64_t k) {
        return static_cast<std::int64_t>(static_cast<__int128>(a.rows()) * k / parts);
      };
      f(a.part(at(p), at(p + 1)));
    }
  };
  std::int64_t before = 0;
  out.row_ptr(std::vector<std::int64_t>{0});
  each_part([&](matrix_rows some) {
    for (std::int64_t& p : some.row_ptr) p += before;
    before = some.row_ptr.back();
    out.row_ptr(std::span<const std::int64_t>(some.row_ptr).subspan(1));
  });
  each_part([&](const matrix_rows& some) { out.columns(std::span<const std::int64_t>(some.col)); });
  each_part([&](const matrix_rows& some) { out.values(std::span<const double>(some.val)); });
  out.commit();
}

}  // namespace dwell
