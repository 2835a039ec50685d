// SPDX-License-Identifier: MIT
// See image.hpp.
#include "convolve/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/formats/descriptor.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/formats/npy.hpp"
#include "dwell/formats/picture.hpp"

namespace dwell::app {
namespace {

template <class T>
picture picture_of(const grid<T>& values, int white, picture_range range) {
  const extents& n = values.size();
  picture out{grid<float>(extents(n.z, n.y, n.x)), white};
  double low = 0, scale = 1;
  if (range == picture_range::stretch) {
    const value_range r = range_of<T>(values.cells());
    if (r.least < r.greatest) {
      low = r.least;
      scale = white / (r.greatest - r.least);
    }
  }
  std::transform(values.cells().begin(), values.cells().end(), out.channels.cells().begin(),
                 [&](T v) { return static_cast<float>((static_cast<double>(v) - low) * scale); });
  return out;
}

}  // namespace

loaded_image load_image(const std::string& file) {
  loaded_image out;
  if (is_picture_name(file)) {
    picture p = read_picture(file);
    out.values = std::move(p.channels);
    out.picture = true;
    out.white = p.white;
    return out;
  }
  npy_reader from(file);
  if (from.facts().single)
    out.values = from.values<float>();
  else
    out.values = from.values<double>();
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
      [&](const auto& v) {
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
          write_picture(to.path(), picture_of(values, image.white, range));
        else
          write_npy(to.path(), values.view());
      },
      image.values);
}

}  // namespace dwell::app
