// SPDX-License-Identifier: MIT
// Parses sizes and weights, fills starts, reads and writes fields.
#include "stencil/field.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "cli/pieces.hpp"

#include "dwell/base/nearest.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/field_values.hpp"

namespace dwell::app {
namespace {

template <class V>
bool whole(std::string_view text, V& value) {
  const auto [end, bad] = std::from_chars(text.data(), text.data() + text.size(), value);
  return bad == std::errc() && end == text.data() + text.size() && !text.empty();
}

/// "300x200" or "30x20x10", each number at least 1.
std::optional<extents> numbers_along_axes(const std::string& text, std::size_t least_dims = 2) {
  const auto parts = pieces_of(text, 'x');
  if (parts.size() < least_dims || parts.size() > 3) return std::nullopt;
  int n[3] = {};
  for (std::size_t k = 0; k < parts.size(); ++k)
    if (!whole(parts[k], n[k]) || n[k] < 1) return std::nullopt;
  return parts.size() == 1   ? extents(n[0])
         : parts.size() == 2 ? extents(n[0], n[1])
                             : extents(n[0], n[1], n[2]);
}

/// The finite number in `text`, with blanks around it and "+" before it as people write them.
std::optional<double> signed_number(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
  text = text.substr(0, text.find_last_not_of(blanks) + 1);
  if (text.starts_with('+') && !text.starts_with("+-")) text.remove_prefix(1);
  double value = 0;
  return whole(text, value) && std::isfinite(value) ? std::optional(value) : std::nullopt;
}

/// The seed of "random:7"; false if `text` is something else.
bool random_seed(const std::string& text, std::uint64_t& seed) {
  return text.starts_with("random:") && whole(std::string_view(text).substr(7), seed);
}

/// Random values that are the same on every machine, whatever the order of the cells (splitmix64).
double random_value(std::uint64_t seed, std::uint64_t cell) {
  std::uint64_t v = seed * 0x9e3779b97f4a7c15u + (cell + 1) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return static_cast<double>((v ^ (v >> 31)) >> 11) * 0x1p-52 - 1;
}

}  // namespace

extents parse_size(const std::string& option, const std::string& text, int least_dims) {
  const auto size = numbers_along_axes(text, static_cast<std::size_t>(least_dims));
  if (!size)
    throw input_error(
        fmt::format("{}: expected rows x columns such as 4096x4096, or 256x256x256 in three "
                    "dimensions{}, of 1 to 2147483647 cells each, found '{}'",
                    option, least_dims == 1 ? ", 1000 in one" : "", text));
  try {
    check_extents(*size, 1);
  } catch (const input_error&) {
    throw input_error(fmt::format("{}: expected at most 2^40 cells, found '{}'", option, text));
  }
  return *size;
}

extents parse_rank_grid(const std::string& option, const std::string& text) {
  const auto ranks = numbers_along_axes(text);
  if (!ranks)
    throw input_error(fmt::format(
        "{}: expected ranks along each axis such as 4x1, or 2x2x1 in three dimensions, found '{}'",
        option, text));
  return *ranks;
}

std::vector<extents> parse_sizes(const std::string& option, const std::string& text) {
  std::vector<extents> sizes;
  for (const auto part : pieces_of(text, ',')) {
    const extents size = parse_size(option, std::string(part));
    if (std::find(sizes.begin(), sizes.end(), size) != sizes.end())
      throw input_error(fmt::format("{}: expected each size once, found '{}'", option, text));
    sizes.push_back(size);
  }
  return sizes;
}

std::vector<double> parse_weights(const std::string& text) {
  std::vector<double> weights;
  for (const auto part : pieces_of(text, ',')) {
    const auto number = signed_number(part);
    if (!number)
      throw input_error(
          fmt::format("--weights: expected finite numbers with commas between, found '{}'", part));
    weights.push_back(*number);
  }
  return weights;
}

const char* const initial_help =
    "Fields to start from (--initial):\n"
    "  hot-spot     1 in a disc (ball) in the middle, 0 outside; its radius is a tenth\n"
    "               of the shortest side\n"
    "  checker      0 and 1 in squares (cubes) of an eighth of the shortest side\n"
    "  random:SEED  from -1 to 1; the same on every machine\n"
    "  zeros\n";

void require_initial(const std::string& text) {
  std::uint64_t seed = 0;
  if (text != "hot-spot" && text != "checker" && text != "zeros" && !random_seed(text, seed))
    throw input_error(
        fmt::format("--initial: expected random:SEED, hot-spot, checker or zeros, found {}",
                    found_word(text, std::array{"random:SEED", "hot-spot", "checker", "zeros"})));
}

template <class T>
grid<T> make_initial(const std::string& text, const extents& n) {
  require_initial(text);
  grid<T> u(n);
  std::uint64_t seed = 0;
  const bool random = random_seed(text, seed);
  // A disc (ball) of a tenth of the shortest side; squares of an eighth of it.
  const int shortest = n.dims == 3   ? std::min({n.x, n.y, n.z})
                       : n.dims == 2 ? std::min(n.x, n.y)
                                     : n.x;
  // The cells nearest the middle, half a cell off along an even side, are hot however small it is.
  const auto off_middle = [](int cells) { return cells % 2 == 0 ? 0.25 : 0.0; };
  const double nearest = off_middle(n.x) + off_middle(n.y) + off_middle(n.z);
  const double radius = shortest / 10.0, hot = std::max(radius * radius, nearest);
  const int square = std::max(1, shortest / 8);
  std::size_t i = 0;
  for (int z = 0; z < n.z; ++z)
    for (int y = 0; y < n.y; ++y)
      for (int x = 0; x < n.x; ++x, ++i) {
        double v = 0;
        if (random) {
          v = random_value(seed, i);
        } else if (text == "checker") {
          v = (x / square + y / square + z / square) % 2;
        } else if (text == "hot-spot") {
          const double dx = x - (n.x - 1) / 2.0, dy = y - (n.y - 1) / 2.0, dz = z - (n.z - 1) / 2.0;
          v = dx * dx + dy * dy + dz * dz <= hot ? 1 : 0;
        }
        u.cells()[i] = static_cast<T>(v);
      }
  return u;
}

void require_source(const std::string& source, const extents& field, const std::string& precision) {
  const field_input from(source, field.dims);
  require_precision(source, from.single(), precision);
  require_source(from, field);
}

void require_precision(const std::string& file, bool single, const std::string& precision) {
  const std::string found = single ? "f32" : "f64";
  if (found != precision)
    throw input_error(
        fmt::format("{}: expected {} values, found {}; add --precision {} to compute with these",
                    file, precision, found, found));
}

void require_source(const field_input& source, const extents& field) {
  if (source.size() != field)
    throw input_error(fmt::format("{}: expected {} cells as the field has, found {}", source.file(),
                                  to_string(field), to_string(source.size())));
}

field_input::field_input(std::string file, int dims, const std::string& name)
    : file_(std::move(file)),
      reader_(file_.ends_with(".vti")
                  ? std::variant<npy_reader, vti_reader>(vti_reader(file_, dims, name))
                  : npy_reader(file_, npy_accepts::floats, dims == 1 ? 1 : 2)) {}

const extents& field_input::size() const {
  return std::visit([](const auto& r) -> const extents& { return r.facts().size; }, reader_);
}
bool field_input::single() const {
  return std::visit([](const auto& r) { return r.facts().single; }, reader_);
}

template <class T>
grid<T> field_input::finite_values() {
  auto values = std::visit([](auto& r) { return r.template values<T>(); }, reader_);
  require_finite<T>(file_, std::as_const(values).view());
  return values;
}

void require_field_name(const destination& to) {
  const auto suffix = std::filesystem::path(to.path()).extension();
  if (suffix != ".npy" && suffix != ".vti" && suffix != ".png" && !is_stream(to.path()))
    throw input_error(fmt::format("{}: expected a name that ends in .npy, .vti or .png, found '{}'",
                                  to.option(), to.name()));
}

template <class T>
grid<T> read_finite(const std::string& file, npy_reader& from) {
  auto values = from.values<T>();
  require_finite<T>(file, std::as_const(values).view());
  return values;
}

png_scale parse_scale(const std::string& text) {
  const auto parts = pieces_of(text, ':');
  const auto least = parts.size() == 2 ? signed_number(parts[0]) : std::nullopt,
             greatest = parts.size() == 2 ? signed_number(parts[1]) : std::nullopt;
  if (!least || !greatest || *least >= *greatest)
    throw input_error(fmt::format(
        "--scale: expected two finite numbers, the smaller one first, such as 0:1, found '{}'",
        text));
  return {*least, *greatest};
}

bool is_picture(const destination& to) {
  return std::filesystem::path(to.path()).extension() == ".png";
}

template <class T>
void write_field(const std::string& file, const grid<T>& u, const std::string& name,
                 const std::optional<png_scale>& scale) {
  const auto suffix = std::filesystem::path(file).extension();
  if (suffix == ".png")
    write_png<T>(file, u.view(), scale);
  else if (suffix == ".vti")
    write_vti<T>(file, u.view(), name);
  else
    write_npy<T>(file, u.view());
}

template grid<double> make_initial(const std::string&, const extents&);
template grid<float> make_initial(const std::string&, const extents&);
template grid<double> read_finite(const std::string&, npy_reader&);
template grid<float> read_finite(const std::string&, npy_reader&);
template grid<double> field_input::finite_values();
template grid<float> field_input::finite_values();
template void write_field(const std::string&, const grid<double>&, const std::string&,
                          const std::optional<png_scale>&);
template void write_field(const std::string&, const grid<float>&, const std::string&,
                          const std::optional<png_scale>&);

}  // namespace dwell::app
