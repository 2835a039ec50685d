// SPDX-License-Identifier: MIT
// Some steps of 2d5pt in a pass, as EBISU makes them (Zhang 2023, section 5.4): a block has a tile
// of columns and goes down its rows; step s makes a row two behind that of step s - 1, from four
// rows of it in shared memory, so that the block meets once a row (lazy streaming). The next row is
// loaded ahead. tile-sweep.py compiles it at run time; DEPTH: steps of a pass, CELLS: cells of a
// lane in a row, which are independent of each other, BLOCKS: blocks of a multiprocessor, THREADS:
// of a block.

constexpr int tile_width = THREADS * CELLS;
constexpr int row_pitch = tile_width + 2;  // the cells beside a tile, which count for nothing

/// u: a field of ny x nx cells with a fixed border, v: what it is DEPTH steps later.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    several_steps(const REAL* u, REAL* v, int ny, int nx, int rows_of_block, REAL centre,
                  REAL beside) {
  extern __shared__ REAL queues[];  // [step][row % 4][column]
  const int lane = int(threadIdx.x), x0 = int(blockIdx.x) * (tile_width - 2 * DEPTH) - DEPTH;
  const int y0 = int(blockIdx.y) * rows_of_block;
  const int y1 = y0 + rows_of_block < ny ? y0 + rows_of_block : ny;
  const auto row_of = [&](int step, int y) {
    return queues + (step * 4 + (y & 3)) * row_pitch + 1;
  };
  const auto cell = [&](int y, int x) {
    return y >= 0 && y < ny && x >= 0 && x < nx ? u[(long long)(y)*nx + x] : REAL(0);
  };
  REAL next[CELLS];
#pragma unroll
  for (int k = 0; k < CELLS; ++k) next[k] = cell(y0 - DEPTH, x0 + lane + k * THREADS);
  for (int t = y0 - DEPTH; t < y1 + 2 * DEPTH; ++t) {
    REAL* const first = row_of(0, t);
#pragma unroll
    for (int k = 0; k < CELLS; ++k) {
      first[lane + k * THREADS] = next[k];
      next[k] = t + 1 < y1 + DEPTH ? cell(t + 1, x0 + lane + k * THREADS) : REAL(0);
    }
#pragma unroll
    for (int s = 1; s <= DEPTH; ++s) {
      const int y = t - 2 * s;
      if (y < 0 || y >= ny || y < y0 - (DEPTH - s) || y >= y1 + (DEPTH - s)) continue;
      const REAL *const above = row_of(s - 1, y - 1), *const here = row_of(s - 1, y),
                        *const below = row_of(s - 1, y + 1);
#pragma unroll
      for (int k = 0; k < CELLS; ++k) {
        const int c = lane + k * THREADS, x = x0 + c;
        REAL e = here[c];
        if (y > 0 && y < ny - 1 && x > 0 && x < nx - 1)
          e = fma(beside, below[c],
                  fma(beside, here[c + 1],
                      fma(centre, here[c], fma(beside, here[c - 1], beside * above[c]))));
        if (s < DEPTH)
          row_of(s, y)[c] = e;
        else if (c >= DEPTH && c < tile_width - DEPTH && x < nx)
          v[(long long)(y)*nx + x] = e;
      }
    }
    __syncthreads();
  }
}
