// SPDX-License-Identifier: MIT
// Values are written as they lie in memory: little endian, C order. Read they may be in the other
// orders of bytes and of indices, and are then put into these.
#include "dwell/formats/npy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/npy_header.hpp"
#include "dwell/formats/swap_bytes.hpp"

namespace dwell {
namespace {

static_assert(std::endian::native == std::endian::little,
              "values are written as they lie in memory");

[[noreturn]] void fail(const input_file& file, const std::string& what) {
  throw input_error(fmt::format("{}: {}", file.name(), what));
}

template <class T>
constexpr npy_cells cells_of = npy_cells::f64;
template <>
constexpr npy_cells cells_of<float> = npy_cells::f32;
template <>
constexpr npy_cells cells_of<half> = npy_cells::f16;
template <>
constexpr npy_cells cells_of<std::uint8_t> = npy_cells::u8;

const npy_type& type_of(npy_cells cells) { return npy_types[static_cast<std::size_t>(cells)]; }
/// "<f8 (f64)": for messages.
std::string shown(npy_cells cells) {
  return fmt::format("{} ({})", type_of(cells).descr, type_of(cells).name);
}

extents to_extents(const input_file& file, const npy_header& header, int least_dims) {
  const auto& shape = header.shape;
  if (shape.size() < static_cast<std::size_t>(least_dims) || shape.size() > 3)
    fail(file, fmt::format("expected an array of {} dimensions, found shape {}",
                           least_dims == 1 ? "1 to 3" : "2 or 3", header.shape_text()));
  for (const long long n : shape)
    if (n < 1 || n > 0x7fffffff)
      fail(file,
           "expected 1 to 2147483647 cells along each axis, found shape " + header.shape_text());
  const auto at = [&](std::size_t k) { return static_cast<int>(shape[k]); };
  const extents n = shape.size() == 1   ? extents(at(0))
                    : shape.size() == 2 ? extents(at(0), at(1))
                                        : extents(at(0), at(1), at(2));
  try {
    check_extents(n, least_dims);
  } catch (const input_error& e) {
    fail(file, e.what());
  }
  return n;
}

/// to[i][j][k] in C order of an array `from` in Fortran order; each extent is 1 at least.
template <class T>
void to_c_order(std::span<const T> from, const std::array<std::size_t, 3>& shape, std::span<T> to) {
  T* next = to.data();
  for (std::size_t i = 0; i < shape[0]; ++i)
    for (std::size_t j = 0; j < shape[1]; ++j)
      for (std::size_t k = 0; k < shape[2]; ++k) *next++ = from[(k * shape[1] + j) * shape[0] + i];
}

/// The values of a file, `count` of them, which messages call by their shape.
struct npy_values {
  input_file& file;
  std::size_t count;
  std::string shape;

  [[noreturn]] void fail_at_size(std::size_t expected, const std::string& found) const {
    fail(file,
         fmt::format("expected {} bytes of values for shape {}, found {}", expected, shape, found));
  }

  /// A regular file holds what its header claims, no less and no more. A pipe is not asked.
  void check_length(std::size_t each) const {
    const auto left = file.left();
    if (left && left->bytes != count * each)
      fail_at_size(count * each, std::to_string(left->bytes));
  }

  /// Reads into the place that room(n) gives for the first n of them, and moves there what was read
  /// before: of a pipe as many again as have come, so that a claim alone takes no memory.
  template <class T, class Room>
  void read(Room&& room) const {
    constexpr std::size_t first = 1 << 16;
    const bool pipe = !file.left();
    check_length(sizeof(T));  // before memory is taken; it may have changed
    for (std::size_t have = 0; have < count;) {
      const std::size_t more = pipe ? std::min(count - have, std::max(have, first)) : count;
      T* to = room(have + more);
      const std::size_t bytes = more * sizeof(T),
                        got = file.read(reinterpret_cast<char*>(to + have), bytes);
      if (got < bytes && !pipe) fail(file, "the file ends within its values");
      if (got < bytes) fail_at_size(count * sizeof(T), std::to_string(have * sizeof(T) + got));
      have += more;
    }
    char beyond = 0;
    if (pipe && file.read(&beyond, 1) > 0) fail_at_size(count * sizeof(T), "more");
  }

  template <class T>
  std::vector<T> to_vector() const {
    std::vector<T> values;
    read<T>([&](std::size_t n) { return values.resize(n), values.data(); });
    return values;
  }
};

}  // namespace

npy_facts inspect_npy(const std::filesystem::path& file) { return npy_reader(file).facts(); }

npy_reader::npy_reader(std::filesystem::path file, npy_accepts types, int least_dims)
    : in_(std::make_unique<input_file>(std::move(file), ".npy file")) {
  const npy_header header =
      read_npy_header(*in_, types == npy_accepts::all ? std::size(npy_types) : wide_npy_types);
  facts_ = {to_extents(*in_, header, least_dims), header.single,
            static_cast<npy_cells>(header.type), header.values_at};
  fortran_ = header.fortran;
  big_endian_ = header.big_endian;
  npy_values{*in_, facts_.size.cells(), to_string(facts_.size)}.check_length(
      npy_types[header.type].bytes);
}

npy_reader::~npy_reader() = default;
npy_reader::npy_reader(npy_reader&&) noexcept = default;

template <class T>
grid<T> npy_reader::values() {
  if (facts_.cells != cells_of<T>)
    fail(*in_, fmt::format("expected values of type '{}', found '{}'", shown(cells_of<T>),
                           shown(facts_.cells)));
  const extents& n = facts_.size;
  const npy_values come{*in_, n.cells(), to_string(n)};
  grid<T> values;
  if (in_->left() && !fortran_) {
    come.check_length(sizeof(T));  // before memory is taken
    values = grid<T>(n);
    come.read<T>([&](std::size_t) { return values.cells().data(); });
  } else {
    const auto read = come.to_vector<T>();
    values = grid<T>(n);
    const auto cells = [](int k) { return static_cast<std::size_t>(k); };
    if (fortran_)  // a plane of two dimensions is one of three, the first of them 1
      to_c_order<T>(read, {cells(n.z), cells(n.y), cells(n.x)}, values.cells());
    else
      std::copy(read.begin(), read.end(), values.cells().begin());
  }
  if (big_endian_) swap_bytes(values.cells());
  return values;
}

template <class T>
void write_npy(const std::filesystem::path& file, grid_view<const T> values) {
  const extents& n = values.size;
  const auto planes = n.dims == 3 ? fmt::format("{}, ", n.z) : "";
  atomic_file out(file);
  out.write(npy_start(type_of(cells_of<T>).descr, n.dims == 1
                                                      ? fmt::format("{},", n.x)
                                                      : fmt::format("{}{}, {}", planes, n.y, n.x)));
  out.write({reinterpret_cast<const char*>(values.data), n.cells() * sizeof(T)});
  out.commit();
}

namespace {

/// All values of a file, `count` of them, of at most two axes, in C order.
template <class T>
std::vector<T> values_of(input_file& file, const npy_header& header, std::size_t count) {
  auto values = npy_values{file, count, header.shape_text()}.to_vector<T>();
  if (header.big_endian) swap_bytes(std::span<T>(values));
  if (!header.fortran) return values;
  std::vector<T> in_order(values.size());
  to_c_order<T>(
      values,
      {1, static_cast<std::size_t>(header.shape[0]), static_cast<std::size_t>(header.shape[1])},
      in_order);
  return in_order;
}
std::vector<double> widened_values(input_file& file, const npy_header& header, std::size_t count) {
  if (!header.single) return values_of<double>(file, header, count);
  const auto singles = values_of<float>(file, header, count);
  return {singles.begin(), singles.end()};
}

}  // namespace

npy_array read_npy_array(input_file& file,
                         const std::function<bool(const std::vector<long long>&)>& is_wanted) {
  const npy_header header = read_npy_header(file);
  std::size_t count = 1;
  for (const long long n : header.shape)
    if (n > std::numeric_limits<int>::max() ||
        __builtin_mul_overflow(count, static_cast<std::size_t>(n), &count))
      fail(file,
           "expected at most 2147483647 values along an axis, found shape " + header.shape_text());
  if (!is_wanted(header.shape))
    fail(file, "expected an array of shape (n, k) or (n,), found shape " + header.shape_text());
  return {header.shape, widened_values(file, header, count)};
}

std::vector<double> read_npy_vector(input_file& file) {
  const npy_header header = read_npy_header(file);
  const auto& shape = header.shape;
  if (!(shape.size() == 1 || (shape.size() == 2 && shape[1] == 1)) ||
      shape[0] > std::numeric_limits<int>::max())
    fail(file, "expected a vector, of shape (n,) or (n, 1), found shape " + header.shape_text());
  const std::vector<double> v = widened_values(file, header, static_cast<std::size_t>(shape[0]));
  for (std::size_t i = 0; i < v.size(); ++i)
    if (!std::isfinite(v[i]))
      fail(file, fmt::format("expected finite values, found {} at [{}]", v[i], i));
  return v;
}

void write_npy_vector(const std::filesystem::path& file, std::span<const double> v) {
  atomic_file out(file);
  out.write(npy_start("<f8", fmt::format("{},", v.size())));
  out.write({reinterpret_cast<const char*>(v.data()), v.size_bytes()});
  out.commit();
}

template grid<double> npy_reader::values();
template grid<float> npy_reader::values();
template grid<half> npy_reader::values();
template grid<std::uint8_t> npy_reader::values();
template void write_npy(const std::filesystem::path&, grid_view<const double>);
template void write_npy(const std::filesystem::path&, grid_view<const float>);
template void write_npy(const std::filesystem::path&, grid_view<const half>);
template void write_npy(const std::filesystem::path&, grid_view<const std::uint8_t>);

}  // namespace dwell
