// SPDX-License-Identifier: MIT
// Pictures as numbers: PNG and netpbm's PGM and PPM (binary, P5 and P6), of 8 or 16 bits. Reading
// is strict: another kind of file, a short or a damaged one is an input_error that names the file,
// what was expected and what was found.
#pragma once
#include <filesystem>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// The channels of a picture as planes: one, grey, or three, red, green and blue.
struct picture {
  grid<float> channels;    ///< (channel, row, column), from 0 to `white`
  int white = 255;         ///< the largest value: 255 or 65535, of netpbm any up to that
  bool had_alpha = false;  ///< the file says how opaque pixels are, which is left out
};

/// Whether a name ends as that of a picture does: .png, .pgm or .ppm.
DWELL_API bool is_picture_name(const std::filesystem::path& file);

/// The whole picture. Palettes become colours; how opaque pixels are is left out, as are notes and
/// colour profiles. Memory is bounded by
/// the size of the file, at most 2^28 pixels.
DWELL_API picture read_picture(const std::filesystem::path& file);

/// Values are rounded to whole numbers from 0 to `white`, NaN to 0; 8 bits up to 255, else 16. The
/// name's end says which kind of file: a .pgm is grey, a .ppm coloured. The file appears whole or
/// not at all. Throws input_error where kind and channels do not go together.
DWELL_API void write_picture(const std::filesystem::path& file, const picture& image);

}  // namespace dwell
