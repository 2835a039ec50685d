// SPDX-License-Identifier: MIT
// What `dwell convolve` reads and writes: a picture, whose channels are images of 8 bits or, where
// it has more, of f32, or an array of a .npy file.
#pragma once
#include <cstdint>
#include <string>
#include <variant>

#include "cli/destination.hpp"

#include "dwell/base/half.hpp"
#include "dwell/formats/field_values.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell::app {

struct loaded_image {
  /// Planes of a picture are its channels.
  std::variant<grid<float>, grid<double>, grid<half>, grid<std::uint8_t>> values;
  bool picture = false;
  int white = 255;         ///< largest value of a picture
  bool had_alpha = false;  ///< a picture's alpha channel was left out
};

/// A picture by the end of its name, else a .npy file.
loaded_image load_image(const std::string& file);

/// Throws input_error unless the name ends in .npy, .png, .pgm or .ppm, or is that of a stream,
/// which takes .npy.
void require_image_name(const destination& to);
bool writes_picture(const destination& to);

/// How values become those of a picture: cut off at 0 and `white`, or all of their range stretched
/// over it.
enum class picture_range { clip, stretch };

/// Range of the image's values.
value_range range_of(const loaded_image& image);
/// Values out of range that a picture of them loses.
std::size_t clipped_values(const loaded_image& image);
/// Throws input_error, of a picture also where there are not 1 or 3 planes.
void save_image(const destination& to, const loaded_image& image, picture_range range);

}  // namespace dwell::app
