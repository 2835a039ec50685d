// SPDX-License-Identifier: MIT
// Conversions between channels of pictures and arrays of .npy files.
#include "convolve/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/picture.hpp"

namespace dwell::app {
namespace {

template <class T>
const grid<T>& widened(const grid<T>& values) {
  return values;
}
template <class Cell>
grid<float> widened_cells(const grid<Cell>& values) {
  grid<float> out(values.size());
  std::transform(values.cells().begin(), values.cells().end(), out.cells().begin(),
                 [](Cell v) { return static_cast<float>(v); });
  return out;
}
grid<float> widened(const grid<half>& values) { return widened_cells(values); }
grid<float> widened(const grid<std::uint8_t>& values) { return widened_cells(values); }

/// Whole numbers from 0 to 255.
grid<std::uint8_t> bytes_of(const grid<float>& values) {
  grid<std::uint8_t> out(values.size());
  std::transform(values.cells().begin(), values.cells().end(), out.cells().begin(),
                 [](float v) { return static_cast<std::uint8_t>(v); });
  return out;
}

template <class T>
picture picture_of(const grid<T>& values, int white, picture_range range) {
  const extents& n = values.size();
  picture out{grid<float>(extents(n.z, n.y, n.x)), white};
  double by = 1, low = 0, span = white;
  if (range == picture_range::stretch) {
    const value_range r = dwell::range_of<T>(values.cells());
    if (r.least < r.greatest) {
      by = std::isfinite(r.greatest - r.least) ? 1 : 0.5;
      low = by * r.least;
      span = by * r.greatest - low;
    }
  }
  std::transform(
      values.cells().begin(), values.cells().end(), out.channels.cells().begin(),
      [&](T v) { return static_cast<float>((by * static_cast<double>(v) - low) / span * white); });
  return out;
}

}  // namespace

value_range range_of(const loaded_image& image) {
  return std::visit(
      [](const auto& values) {
        const auto& wide = widened(values);
        return dwell::range_of<std::remove_cvref_t<decltype(wide.cells()[0])>>(wide.cells());
      },
      image.values);
}

loaded_image load_image(const std::string& file) {
  loaded_image out;
  if (is_picture_name(file)) {
    picture p = read_picture(file);
    if (p.white < 256)
      out.values = bytes_of(p.channels);
    else
      out.values = std::move(p.channels);
    out.picture = true;
    out.white = p.white;
    out.had_alpha = p.had_alpha;
    return out;
  }
  npy_reader from(file, npy_accepts::all);
  switch (from.facts().cells) {
    case npy_cells::f64:
      out.values = from.values<double>();
      break;
    case npy_cells::f32:
      out.values = from.values<float>();
      break;
    case npy_cells::f16:
      out.values = from.values<half>();
      break;
    case npy_cells::u8:
      out.values = from.values<std::uint8_t>();
      break;
  }
  return out;
}

bool writes_picture(const destination& to) { return is_picture_name(to.path()); }

void require_image_name(const destination& to) {
  if (!writes_picture(to) && !to.path().ends_with(".npy") && !is_stream(to.path()))
    throw input_error(
        fmt::format("{}: expected a name that ends in .npy, .png, .pgm or .ppm, found '{}'",
                    to.option(), to.name()));
}

std::size_t clipped_values(const loaded_image& image) {
  const double white = image.white;
  return std::visit(
      [&](const auto& values) {
        const auto& v = widened(values);
        return static_cast<std::size_t>(
            std::count_if(v.cells().begin(), v.cells().end(), [&](const auto cell) {
              return !(cell >= -0.5 && static_cast<double>(cell) <= white + 0.5);
            }));
      },
      image.values);
}

void save_image(const destination& to, const loaded_image& image, picture_range range) {
  std::visit(
      [&](const auto& values) {
        if (writes_picture(to))
          write_picture(to.path(), picture_of(widened(values), image.white, range));
        else
          write_npy(to.path(), values.view());
      },
      image.values);
}

}  // namespace dwell::app
