// SPDX-License-Identifier: MIT
// The kinds of generate(): their names, the parsing of their sizes, and the refusal of sizes that a
// 32-bit index cannot count, before anything is allocated.
#include "dwell/datasets/generators.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <new>
#include <numbers>
#include <optional>

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "dwell/datasets/row_builder.hpp"
#include "dwell/datasets/stand_ins.hpp"

namespace dwell {

namespace {

using detail::index_limit;

/// The kind as the user wrote it and the part after the colon.
struct request {
  std::string kind;
  std::string_view size;
};

[[noreturn]] void refuse(const request& r, const std::string& expected,
                         const std::string& meant = {}) {
  throw input_error("expected " + expected + ", found '" + r.kind + "'" + meant);
}

/// Exactly `count` numbers separated by 'x', each of digits alone and from 1 to index_limit.
std::optional<std::vector<index>> parse_sizes(std::string_view text, std::size_t count) {
  std::vector<index> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    index n = 0;
    const auto [next, failed] = std::from_chars(at, end, n);
    if (failed != std::errc() || n < 1) return std::nullopt;
    sizes.push_back(n);
    if (next == end) break;
    if (*next != 'x' || sizes.size() == count) return std::nullopt;
    at = next + 1;
  }
  if (sizes.size() != count) return std::nullopt;
  return sizes;
}

/// The largest n with nonzeros(n) <= index_limit, for a nonzeros that grows with n.
index largest(std::int64_t (*nonzeros)(std::int64_t)) {
  std::int64_t fits = 1, too_many = index_limit;
  while (too_many - fits > 1) {
    const std::int64_t middle = fits + (too_many - fits) / 2;
    (nonzeros(middle) <= index_limit ? fits : too_many) = middle;
  }
  return static_cast<index>(fits);
}

index parse_one(const request& r, const std::string& form, std::int64_t (*nonzeros)(std::int64_t)) {
  const auto sizes = parse_sizes(r.size, 1);
  const index most = largest(nonzeros);
  if (!sizes || sizes->front() > most) refuse(r, form + " with 1 <= N <= " + std::to_string(most));
  return sizes->front();
}

csr<double> make_trefethen(const request& r, int threads) {
  return detail::trefethen(parse_one(r, "trefethen:N", detail::trefethen_nonzeros), threads);
}

csr<double> make_box3d(const request& r, int threads) {
  return detail::box(parse_one(r, "box3d:N", detail::box_nonzeros), threads);
}

/// Of "WxH:NUMBER", as `form` says it: a flat grid and a number from 0 on.
struct grid_and_number {
  index width, height;
  double number;
};
grid_and_number parse_grid_and_number(const request& r, const std::string& form) {
  const auto colon = r.size.find(':');
  const auto sizes = parse_sizes(r.size.substr(0, colon), 2);
  const std::string_view text =
      colon == std::string_view::npos ? std::string_view() : r.size.substr(colon + 1);
  double number = -1;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (!sizes || failed != std::errc() || end != text.data() + text.size() || !(number >= 0) ||
      !std::isfinite(number))
    refuse(r, form + " with sizes of at least 1 and a number of at least 0");
  const grid_and_number out{sizes->front(), sizes->back(), number};
  if (detail::poisson_nonzeros(out.width, out.height, 1) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return out;
}

csr<double> make_convection2d(const request& r, int threads) {
  const grid_and_number g = parse_grid_and_number(r, "convection2d:WxH:PECLET");
  return detail::convection(g.width, g.height, g.number, threads);
}

csr<double> make_helmholtz2d(const request& r, int threads) {
  const grid_and_number g = parse_grid_and_number(r, "helmholtz2d:WxH:WAVES");
  const double angle = 2 * std::numbers::pi * g.number / (static_cast<double>(g.width) + 1);
  return detail::poisson(g.width, g.height, 1, 4 - angle * angle, threads);
}

csr<double> make_anisotropic2d(const request& r, int threads) {
  const grid_and_number g = parse_grid_and_number(r, "anisotropic2d:WxH:WEAK");
  return detail::anisotropic(g.width, g.height, g.number, threads);
}

csr<double> make_jumps2d(const request& r, int threads) {
  const grid_and_number g = parse_grid_and_number(r, "jumps2d:WxH:RATIO");
  if (!(g.number > 0)) refuse(r, "jumps2d:WxH:RATIO with a ratio above 0");
  return detail::jumps(g.width, g.height, g.number, threads);
}

/// A grid needs `diagonal` / 2 sizes, at most three.
csr<double> make_poisson(const request& r, const std::string& form, double diagonal, int threads) {
  const bool flat = diagonal == 4;
  auto sizes = parse_sizes(r.size, flat ? 2 : 3);
  if (!sizes) refuse(r, form + " with sizes of at least 1");
  if (flat) sizes->push_back(1);
  const auto& n = *sizes;
  // The diagonal alone counts the rows, so this bounds both. In two dimensions the formula for
  // depth 1 holds as it stands.
  if (detail::poisson_nonzeros(n[0], n[1], n[2]) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return detail::poisson(n[0], n[1], n[2], diagonal, threads);
}

csr<double> make_poisson2d(const request& r, int threads) {
  return make_poisson(r, "poisson2d:WxH", 4, threads);
}

csr<double> make_poisson3d(const request& r, int threads) {
  return make_poisson(r, "poisson3d:WxHxD", 6, threads);
}

/// A grid with `count` sizes, two or three, and Neumann boundaries.
csr<double> make_neumann(const request& r, const std::string& form, std::size_t count,
                         int threads) {
  auto sizes = parse_sizes(r.size, count);
  if (!sizes) refuse(r, form + " with sizes of at least 1");
  sizes->resize(3, 1);
  const auto& n = *sizes;
  if (detail::poisson_nonzeros(n[0], n[1], n[2]) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return detail::neumann(n[0], n[1], n[2], threads);
}

csr<double> make_neumann2d(const request& r, int threads) {
  return make_neumann(r, "neumann2d:WxH", 2, threads);
}

csr<double> make_neumann3d(const request& r, int threads) {
  return make_neumann(r, "neumann3d:WxHxD", 3, threads);
}

/// Of "NXxNY[:POISSON]" or "NXxNYxNZ[:POISSON]".
struct elastic_body {
  int dims;
  std::array<index, 3> elements;
  double poisson;
};
elastic_body parse_elasticity(const request& r, int dims) {
  const std::string form =
      dims == 2 ? "elasticity2d:NXxNY[:POISSON]" : "elasticity3d:NXxNYxNZ[:POISSON]";
  const auto colon = r.size.find(':');
  auto sizes = parse_sizes(r.size.substr(0, colon), static_cast<std::size_t>(dims));
  double poisson = 0.3;
  bool sound = sizes.has_value();
  if (colon != std::string_view::npos) {
    const std::string_view text = r.size.substr(colon + 1);
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), poisson);
    sound = sound && failed == std::errc() && end == text.data() + text.size() && poisson >= 0 &&
            poisson < 0.5;
  }
  if (!sound) refuse(r, form + " with sizes of at least 1 and a Poisson ratio from 0 to below 0.5");
  sizes->resize(3, 0);
  const auto& n = *sizes;
  if (detail::elasticity_nonzeros(dims, n[0], n[1], n[2]) > index_limit)
    refuse(r, form + " with at most " + std::to_string(index_limit) + " nonzeros");
  return {dims, {n[0], n[1], n[2]}, poisson};
}
csr<double> make_elasticity(const elastic_body& b, int threads) {
  return detail::elasticity(b.dims, b.elements, b.poisson, threads);
}
csr<double> make_elasticity2d(const request& r, int threads) {
  return make_elasticity(parse_elasticity(r, 2), threads);
}
csr<double> make_elasticity3d(const request& r, int threads) {
  return make_elasticity(parse_elasticity(r, 3), threads);
}

std::string joined(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& w : words) all += (all.empty() ? "" : ", ") + w;
  return all;
}

csr<double> make_like(const request& r, int threads) {
  const auto names = stand_ins();
  if (std::find(names.begin(), names.end(), r.size) == names.end())
    refuse(r, "like:NAME with NAME one of " + joined(names), suggested_kind(r.kind));
  return detail::stand_in(r.size, threads);
}

struct family {
  std::string_view word;  ///< before the colon
  std::string_view form;
  std::string_view what;
  csr<double> (*make)(const request&, int threads);
};
constexpr family families[] = {
    {"trefethen", "trefethen:N",
     "N x N, the first N primes on the diagonal, ones where |i - j| is a power of 2",
     make_trefethen},
    {"poisson2d", "poisson2d:WxH", "5-point Laplacian of a W x H grid (4, -1), Dirichlet boundary",
     make_poisson2d},
    {"poisson3d", "poisson3d:WxHxD",
     "7-point Laplacian of a W x H x D grid (6, -1), Dirichlet boundary", make_poisson3d},
    {"neumann2d", "neumann2d:WxH",
     "5-point Laplacian of a W x H grid, Neumann boundary: singular, rows have sums of zero",
     make_neumann2d},
    {"neumann3d", "neumann3d:WxHxD",
     "7-point Laplacian of a W x H x D grid, Neumann boundary: singular", make_neumann3d},
    {"convection2d", "convection2d:WxH:PECLET",
     "5-point Laplacian of a W x H grid and convection along W, upwind: not symmetric",
     make_convection2d},
    {"helmholtz2d", "helmholtz2d:WxH:WAVES",
     "5-point Laplacian of a W x H grid less the square of a wave number, so many waves along W: "
     "not definite",
     make_helmholtz2d},
    {"anisotropic2d", "anisotropic2d:WxH:WEAK",
     "5-point Laplacian of a W x H grid whose couplings along H are so weak (1 along W)",
     make_anisotropic2d},
    {"jumps2d", "jumps2d:WxH:RATIO",
     "diffusion on a W x H grid, coefficients 1 and RATIO in turn in squares of 50 x 50 cells",
     make_jumps2d},
    {"elasticity2d", "elasticity2d:NXxNY[:POISSON]",
     "elasticity (plane strain) of NX x NY squares, bilinear finite elements, one face clamped; "
     "two "
     "rows a node",
     make_elasticity2d},
    {"elasticity3d", "elasticity3d:NXxNYxNZ[:POISSON]",
     "elasticity of NX x NY x NZ cubes, trilinear finite elements, one face clamped; three rows a "
     "node",
     make_elasticity3d},
    {"box3d", "box3d:N", "27-point box of an N x N x N grid (26.5, -1)", make_box3d},
    {"like", "like:NAME", "a stand-in of the size and structure class of a SuiteSparse matrix",
     make_like},
};

const family* find_family(std::string_view kind) {
  const auto colon = kind.find(':');
  if (colon == std::string_view::npos) return nullptr;
  for (const auto& f : families)
    if (f.word == kind.substr(0, colon)) return &f;
  return nullptr;
}

}  // namespace

bool is_generated(std::string_view kind) { return find_family(kind) != nullptr; }

std::string suggested_kind(std::string_view kind) {
  constexpr std::string_view like = "like:";
  const auto names = stand_ins();
  std::vector<std::string_view> words;
  const auto meant = [&](std::string_view word, auto&& as_kind) {
    auto found = nearest(word, words);
    for (auto& f : found) f = as_kind(f);
    return suggestion(found);
  };
  const auto stand_in = [&](const std::string& name) { return std::string(like) + name; };
  if (kind.starts_with(like)) {
    words.assign(names.begin(), names.end());
    return meant(kind.substr(like.size()), stand_in);
  }
  for (const auto& f : families) words.push_back(f.word);
  const std::size_t colon = kind.find(':');
  if (colon != std::string_view::npos)
    return meant(kind.substr(0, colon),
                 [&](const std::string& word) { return word + std::string(kind.substr(colon)); });
  words.insert(words.end(), names.begin(), names.end());
  return meant(kind, [&](const std::string& word) {
    for (const auto& f : families)
      if (f.word == word) return std::string(f.form);
    return stand_in(word);
  });
}

csr<double> generate(std::string_view kind) {
  const family* f = find_family(kind);
  if (!f) {
    std::vector<std::string> forms;
    for (const auto& known : families) forms.emplace_back(known.form);
    throw input_error("expected one of " + joined(forms) + ", found '" + std::string(kind) + "'" +
                      suggested_kind(kind));
  }
  try {
    return f->make({std::string(kind), kind.substr(f->word.size() + 1)}, default_threads());
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to generate '" + std::string(kind) + "'");
  }
}

generated_rows generate_rows(std::string_view kind, int part, int parts) {
  const family* f = find_family(kind);
  const bool flat = f && f->word == "poisson2d";
  if (!flat && !(f && f->word == "poisson3d"))
    throw input_error(
        "rows: expected a kind that is made in parts, poisson2d or poisson3d, found '" +
        std::string(kind) + "'");
  if (parts < 1 || part < 0 || part >= parts)
    throw input_error("rows: expected a part from 0 to " + std::to_string(parts - 1) + ", found " +
                      std::to_string(part));
  const request r{std::string(kind), kind.substr(f->word.size() + 1)};
  auto sizes = parse_sizes(r.size, flat ? 2 : 3);
  if (!sizes) refuse(r, std::string(f->form) + " with sizes of at least 1");
  sizes->resize(3, 1);
  const __int128 all = static_cast<__int128>((*sizes)[0]) * (*sizes)[1] * (*sizes)[2];
  const auto first = static_cast<std::int64_t>(all * part / parts),
             last = static_cast<std::int64_t>(all * (part + 1) / parts);
  if (all > std::numeric_limits<std::int64_t>::max() / 8 || last - first > index_limit)
    refuse(r, std::string(f->form) + " with at most " + std::to_string(index_limit) +
                  " rows in each part");
  const detail::laplacian_rows<std::int64_t> row{(*sizes)[0], (*sizes)[1], (*sizes)[2],
                                                 flat ? 4.0 : 6.0};
  try {
    generated_rows made;
    made.all_rows = static_cast<std::int64_t>(all);
    made.row_ptr.push_back(0);
    for (std::int64_t i = first; i < last; ++i) {
      row(i, [&](std::int64_t column, double value) {
        made.col.push_back(column);
        made.val.push_back(value);
      });
      made.row_ptr.push_back(static_cast<std::int64_t>(made.col.size()));
    }
    return made;
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to generate rows of '" + std::string(kind) + "'");
  }
}

generated_nodes generate_coordinates(std::string_view kind) {
  const family* f = find_family(kind);
  const int dims = !f ? 0 : f->word == "elasticity2d" ? 2 : f->word == "elasticity3d" ? 3 : 0;
  if (dims == 0)
    throw input_error(
        "coordinates: expected a kind that has nodes, elasticity2d or elasticity3d, "
        "found '" +
        std::string(kind) + "'");
  try {
    const elastic_body b =
        parse_elasticity({std::string(kind), kind.substr(f->word.size() + 1)}, dims);
    return {dims, detail::elasticity_coordinates(dims, b.elements)};
  } catch (const std::bad_alloc&) {
    throw device_error("not enough memory to generate the coordinates of '" + std::string(kind) +
                       "'");
  }
}

std::vector<kind_help> generated_kinds() {
  std::vector<kind_help> kinds;
  for (const auto& f : families) {
    std::string what(f.what);
    if (f.word == "like") what += ": " + joined(stand_ins());
    kinds.push_back({std::string(f.form), what});
  }
  return kinds;
}

}  // namespace dwell
