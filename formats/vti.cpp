// SPDX-License-Identifier: MIT
// VTK counts points from 0 to n - 1 along x, y, z, x fastest: as a grid lies.
#include "dwell/formats/vti.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

#include "dwell/formats/atomic_file.hpp"

namespace dwell {

namespace {

/// Text as the value of an attribute.
std::string attribute_text(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  return out;
}

}  // namespace

template <class T>
void write_vti(const std::filesystem::path& file, grid_view<const T> values,
               std::string_view name) {
  const extents& n = values.size;
  const auto extent = fmt::format("0 {} 0 {} 0 {}", n.x - 1, n.y - 1, n.z - 1);
  const std::string before = fmt::format(
      "<?xml version=\"1.0\"?>\n"
      "<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" "
      "header_type=\"UInt64\">\n"
      "  <ImageData WholeExtent=\"{0}\" Origin=\"0 0 0\" Spacing=\"1 1 1\">\n"
      "    <Piece Extent=\"{0}\">\n"
      "      <PointData Scalars=\"{2}\">\n"
      "        <DataArray type=\"Float{1}\" Name=\"{2}\" format=\"appended\" offset=\"0\"/>\n"
      "      </PointData>\n"
      "    </Piece>\n"
      "  </ImageData>\n"
      "  <AppendedData encoding=\"raw\">\n"
      "   _",
      extent, 8 * sizeof(T), attribute_text(name));
  const std::uint64_t bytes = n.cells() * sizeof(T);
  atomic_file out(file);
  out.write(before);
  out.write({reinterpret_cast<const char*>(&bytes), sizeof bytes});
  out.write({reinterpret_cast<const char*>(values.data), bytes});
  out.write("\n  </AppendedData>\n</VTKFile>\n");
  out.commit();
}

template void write_vti(const std::filesystem::path&, grid_view<const double>, std::string_view);
template void write_vti(const std::filesystem::path&, grid_view<const float>, std::string_view);

}  // namespace dwell
