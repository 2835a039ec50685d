// SPDX-License-Identifier: MIT
// One picture; png_canvas.cpp draws it.
#include "dwell/formats/png.hpp"

#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/png_canvas.hpp"

namespace dwell {

template <class T>
void write_png(const std::filesystem::path& file, grid_view<const T> values,
               const std::optional<png_scale>& scale) {
  constexpr int largest = 2048;
  const value_range range =
      scale ? value_range{scale->least, scale->greatest} : shown_range(values);
  const grid<T> cells = shown_cells(values, largest);
  png_canvas picture = draw_cells(cells.view(), range);
  atomic_file out(file);
  out.write(encode_png(picture));
  out.commit();
}

template void write_png(const std::filesystem::path&, grid_view<const double>,
                        const std::optional<png_scale>&);
template void write_png(const std::filesystem::path&, grid_view<const float>,
                        const std::optional<png_scale>&);

}  // namespace dwell
