// SPDX-License-Identifier: MIT
// Steps of a field of 7 points by one persistent kernel whose blocks keep some planes in shared
// memory: the same ones, or those that a step has computed last. For bench-residency.
#pragma once
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstddef>

namespace dwell {
namespace {

enum class order { up, zigzag, ring };

constexpr int width = 64, height = 32;  // cells of a tile
constexpr int tile = width * height;
constexpr int rim = 2 * (width + height);
constexpr int threads = tile / 2;  // two cells a thread, one above the other

constexpr double centre = 0.4, beside = 0.1;

struct field_run {
  double* cells;  // copy b of plane z begins at (2 z + b) * plane
  int tiles_x, tiles_y, planes, kept, steps;
};

constexpr std::size_t shared_bytes(int kept) {
  return sizeof(double) * (std::size_t(kept) + 2) * tile + sizeof(double) * 2 * rim;
}

struct two_cells {
  double low, high;  // values of rows y and y + 1
};

/// One step after the other over the planes of a tile. Who writes what: a step reads copy s % 2 and
/// writes the other one; own cells of kept planes are in slots that their thread alone reads and
/// writes; their cells at the rim of the tile are in the copies, too, for the tiles beside. The
/// grid meets after every step.
template <order O, bool Moving>
__global__ void __launch_bounds__(threads, 1) field_steps(field_run r) {
  extern __shared__ double shared[];
  const int bx = int(blockIdx.x) % r.tiles_x, by = int(blockIdx.x) / r.tiles_x;
  const int x = int(threadIdx.x) % width, y = 2 * (int(threadIdx.x) / width);
  const int nx = r.tiles_x * width, n = r.planes, kept = r.kept;
  const std::size_t plane = std::size_t(nx) * (r.tiles_y * height);
  const std::size_t at = std::size_t(by * height + y) * nx + bx * width + x;
  double* slots = shared;
  double* present = slots + std::size_t(kept) * tile;  // two planes in turn
  double* rims = present + 2 * tile;                   // two in turn: below, above, left, right
  const int mine = y * width + x;
  const bool border_x = (bx == 0 && x == 0) || (bx == r.tiles_x - 1 && x == width - 1);
  const bool border_low = border_x || (by == 0 && y == 0);
  const bool border_high = border_x || (by == r.tiles_y - 1 && y + 1 == height - 1);
  const bool at_rim = x == 0 || x == width - 1 || y == 0 || y + 1 == height - 1;

  // The cell beside the tile that this thread fetches, if it does.
  const int t = int(threadIdx.x);
  int fx = 0, fy = 0;
  if (t < width) {
    fx = t, fy = -1;
  } else if (t < 2 * width) {
    fx = t - width, fy = height;
  } else if (t < 2 * width + height) {
    fx = -1, fy = t - 2 * width;
  } else {
    fx = width, fy = t - 2 * width - height;
  }
  const int gx = bx * width + fx, gy = by * height + fy;
  const bool fetches = t < rim && gx >= 0 && gx < nx && gy >= 0 && gy < r.tiles_y * height;
  const std::size_t from = fetches ? std::size_t(gy) * nx + gx : 0;

  int start = 0;
  for (int s = 0; s < r.steps; ++s) {
    const int way = O == order::zigzag && s % 2 ? -1 : 1;
    const bool slots_have = s > 0, to_slots = s + 1 < r.steps;
    const double* old = r.cells + (s % 2) * plane;
    double* fresh = r.cells + ((s + 1) % 2) * plane;
    const auto plane_of = [&](int i) {
      if constexpr (O == order::ring) {
        const int z = start + i;
        return z < n ? z : z - n;
      }
      return way > 0 ? i : n - 1 - i;
    };
    const auto value = [&](int z, int i) -> two_cells {
      const int slot = !Moving ? z : (O == order::zigzag ? kept - 1 - i : i);
      if (slots_have && (Moving ? i : z) < kept) {
        const double* p = slots + std::size_t(slot) * tile + mine;
        return {p[0], p[width]};
      }
      const double* p = old + std::size_t(z) * 2 * plane + at;
      return {__ldcg(p), __ldcg(p + nx)};
    };
    const auto beside_of = [&](int z) {
      return fetches ? __ldcg(old + std::size_t(z) * 2 * plane + from) : 0.0;
    };

    const int before = plane_of(0) - way;
    two_cells prev = before >= 0 && before < n ? value(before, n - 1) : two_cells{0, 0};
    two_cells here = value(plane_of(0), 0);
    two_cells next = n > 1 ? value(plane_of(1), 1) : here;
    const two_cells first = here;
    double side = beside_of(plane_of(0));
    for (int i = 0; i < n; ++i) {
      const int z = plane_of(i);
      const two_cells next2 = i + 2 < n ? value(plane_of(i + 2), i + 2) : first;
      double* p = present + (i & 1) * tile;
      double* h = rims + (i & 1) * rim;
      p[mine] = here.low;
      p[mine + width] = here.high;
      if (t < rim) h[t] = side;
      if (i + 1 < n) side = beside_of(plane_of(i + 1));
      __syncthreads();
      const double below = y > 0 ? p[mine - width] : h[x];
      const double above = y + 2 < height ? p[mine + 2 * width] : h[width + x];
      const double left_low = x > 0 ? p[mine - 1] : h[2 * width + y];
      const double left_high = x > 0 ? p[mine + width - 1] : h[2 * width + y + 1];
      const double right_low = x + 1 < width ? p[mine + 1] : h[2 * width + height + y];
      const double right_high = x + 1 < width ? p[mine + width + 1] : h[2 * width + height + y + 1];
      const two_cells under = way > 0 ? prev : next, over = way > 0 ? next : prev;
      const auto sum = [&](double u, double b, double l, double c, double ri, double a, double o) {
        double v = beside * u;
        v = fma(beside, b, v);
        v = fma(beside, l, v);
        v = fma(centre, c, v);
        v = fma(beside, ri, v);
        v = fma(beside, a, v);
        return fma(beside, o, v);
      };
      two_cells out = {
          sum(under.low, below, left_low, here.low, right_low, here.high, over.low),
          sum(under.high, here.low, left_high, here.high, right_high, above, over.high)};
      const bool border_z = z == 0 || z == n - 1;
      if (border_z || border_low) out.low = here.low;
      if (border_z || border_high) out.high = here.high;
      const int slot = Moving ? i - (n - kept) : z;
      const bool stays = to_slots && (Moving ? i >= n - kept : z < kept);
      if (stays) {
        double* q = slots + std::size_t(slot) * tile + mine;
        q[0] = out.low;
        q[width] = out.high;
      }
      if (!stays || at_rim) {
        double* q = fresh + std::size_t(z) * 2 * plane + at;
        q[0] = out.low;
        q[nx] = out.high;
      }
      prev = here;
      here = next;
      next = next2;
    }
    start = O == order::ring ? (start + n - kept) % n : 0;
    cooperative_groups::this_grid().sync();
  }
}

using kernel = void (*)(field_run);
kernel kernel_of(order o, bool moving) {
  switch (o) {
    case order::up:
      return field_steps<order::up, false>;
    case order::zigzag:
      return moving ? field_steps<order::zigzag, true> : field_steps<order::zigzag, false>;
    case order::ring:
      break;
  }
  return moving ? field_steps<order::ring, true> : field_steps<order::ring, false>;
}

}  // namespace
}  // namespace dwell
