// SPDX-License-Identifier: MIT
// The functions that fmt's headers declare, compiled once into the package, which can link no
// libfmt.so: in every file (FMT_HEADER_ONLY) they take longer than the file. For fmt 12, whose
// headers name the templates below; CMake tries this file and takes fmt::fmt-header-only where it
// does not serve.
#include <fmt/format-inl.h>
#include <fmt/format.h>

namespace fmt {
inline namespace v12 {
namespace detail {

template auto dragonbox::to_decimal(float) noexcept -> dragonbox::decimal_fp<float>;
template auto dragonbox::to_decimal(double) noexcept -> dragonbox::decimal_fp<double>;
template auto thousands_sep_impl<char>(locale_ref) -> thousands_sep_result<char>;
template auto decimal_point_impl(locale_ref) -> char;

}  // namespace detail
}  // namespace v12
}  // namespace fmt
