// SPDX-License-Identifier: MIT
// A chain of warps on a CPU (see ring_team_cuda.cuh): one thread plays all of them, each as far as
// the rings let it: a role goes on while the ring before it has rows and the one behind it has
// room. So slots are filled, reused and waited for as on a GPU, in an order that repeats; forwards
// or, with reversed lanes, from the end of the chain. A chain in which nobody can go on is a
// deadlock, and is reported.
#pragma once
#include <array>
#include <cstddef>
#include <cstring>
#include <optional>
#include <stdexcept>

#include "dwell/execution/team/team_cpu.hpp"

namespace dwell {

template <class Sizes>
class cpu_ring_team {
  using T = typename Sizes::value;
  static constexpr int slots = Sizes::config.slots, rows = Sizes::config.rows;
  static constexpr int across = Sizes::config.across;
  static constexpr int aux_slots = Sizes::aux_slots;  ///< slots of the ring that all warps read
  static constexpr int aux_rows = Sizes::aux_rows;    ///< in a slot

 public:
  cpu_ring_team(int worker, bool reversed, std::byte* scratch)
      : worker_(worker), reversed_(reversed), cells_(reinterpret_cast<T*>(scratch)) {}
  static constexpr std::size_t scratch_bytes() {
    return sizeof(T) * (Sizes::rings * slots * rows + aux_slots * aux_rows * Sizes::aux_arrays) *
           Sizes::row_values;
  }
  int worker() const { return worker_; }

  template <class F>
  void each(F&& f) const {
    for (int l = 0; l < 32; ++l) f(reversed_ ? 31 - l : l);
  }
  template <class V>
  lane_array<V, 32> per_lane() const {
    return {};
  }
  /// cells(l) are those of lane l in a row, with R more to either side, which become the nearest
  /// of the lanes beside it; lanes at the ends get their own.
  template <int R, class Cells>
  void spread(const Cells& cells) const {
    each([&](int l) {
      const T* left = cells(l > 0 ? l - 1 : l);
      const T* right = cells(l < 31 ? l + 1 : l);
      T* c = cells(l);
      for (int k = 0; k < R; ++k) {
        c[k] = left[across + k];
        c[R + across + k] = right[R + k];
      }
    });
  }

  /// A row of a slot.
  class lane_row {
   public:
    explicit lane_row(T* at) : at_(at) {}
    T get(int l, int i) const { return at_[l * across + i]; }
    void put(int l, int i, T v) const { at_[l * across + i] = v; }

   private:
    T* at_;
  };

  class link {
   public:
    link(cpu_ring_team& team, int number, bool last = false, int behind = 0)
        : team_(team),
          number_(number),
          free_in_(last ? (behind + aux_rows - 1) / (aux_rows > 0 ? aux_rows : 1) : -1),
          row_(-behind) {}
    void enter() { slot_ = team_.open(number_), next_ = team_.room(number_ + 1); }
    lane_row aux(int k, int late) const {
      constexpr int all = aux_slots > 0 ? aux_slots * aux_rows : 1;
      return lane_row(team_.aux((row_ % all + all) % all) + k * Sizes::row_values + late);
    }
    void pass_aux() { ++row_; }
    lane_row from(int r, int late) const { return lane_row(slot_ + r * Sizes::row_values + late); }
    lane_row to(int r, int late) const { return lane_row(next_ + r * Sizes::row_values + late); }
    void leave() {
      team_.fill(number_ + 1);
      team_.free(number_);
      if (free_in_ == 0)
        ++team_.aux_freed_;
      else if (free_in_ > 0)
        --free_in_;
    }

   private:
    cpu_ring_team& team_;
    int number_;
    int free_in_;  ///< ticks until the last warp frees a slot that all read; others never do
    int row_;
    T *slot_ = nullptr, *next_ = nullptr;
  };

  class intake {
   public:
    explicit intake(cpu_ring_team& team) : team_(team) {}
    void enter() {
      to_ = team_.room(0);
      if constexpr (aux_slots > 0) to_aux_ = team_.aux(team_.aux_filled_++ % aux_slots * aux_rows);
    }
    void take_aux(int r, int k, int c, const T* from, int n) const {
      std::memcpy(to_aux_ + (r * Sizes::aux_arrays + k) * Sizes::row_values + c, from,
                  static_cast<std::size_t>(n) * sizeof(T));
    }
    void take_rows(const T* first, std::ptrdiff_t pitch, int n) const {
      for (int r = 0; r < n && r < rows; ++r) take_part(r, 0, first + r * pitch, Sizes::row_values);
    }
    void expect_rows(int) const {}
    void expect_parts(int) const {}
    void take_part(int r, int c, const T* from, int n) const {
      std::memcpy(to_ + r * Sizes::row_values + c, from, static_cast<std::size_t>(n) * sizeof(T));
    }
    template <class F>
    void take_cells(int r, int first, int end, F&& cell) const {
      for (int c = first; c < end; ++c)
        if (const T* from = cell(c)) to_[r * Sizes::row_values + c] = *from;
    }
    template <class F>
    void take_aux_cells(int r, int k, int end, F&& cell) const {
      for (int c = 0; c < end; ++c)
        to_aux_[(r * Sizes::aux_arrays + k) * Sizes::row_values + c] = *cell(c);
    }
    void leave_rows() const { team_.fill(0); }
    static constexpr bool rows_arrive = true;
    void leave_cells() const { team_.fill(0); }
    void finish_cells() const {}

   private:
    cpu_ring_team& team_;
    T *to_ = nullptr, *to_aux_ = nullptr;
  };

  class outlet {
   public:
    outlet(cpu_ring_team& team, int number) : team_(team), number_(number) {}
    void enter() { from_ = team_.open(number_); }
    void put_row(int r, int c, T* to, int n) const { put_cells(r, c, to, n); }
    void put_cells(int r, int c, T* to, int n) const {
      std::memcpy(to, from_ + r * Sizes::row_values + c, static_cast<std::size_t>(n) * sizeof(T));
    }
    void leave() const { team_.free(number_); }
    void finish() const {}

   private:
    cpu_ring_team& team_;
    int number_;
    const T* from_ = nullptr;
  };

  template <class In, class Level, class Out>
  void play(int levels, In&& make_intake, Level&& make_level, Out&& make_outlet) {
    auto in = make_intake();
    auto out = make_outlet();
    std::array<std::optional<decltype(make_level(0))>, Sizes::rings - 1> chain;
    for (int w = 0; w < levels; ++w) chain[std::size_t(w)].emplace(make_level(w));
    // Role 0 brings rows in, role w + 1 is the warp behind ring w, the last one puts them out.
    const auto goes_on = [&](int role) {
      const bool rows_wait = role == 0 || full_[role - 1] > 0;
      const bool has_room =
          role > levels || (full_[role] < slots &&
                            (role > 0 || aux_slots == 0 || aux_filled_ - aux_freed_ < aux_slots));
      if (!rows_wait || !has_room) return false;
      const auto tick = [](auto& r) { return r.more() && (r.run(1), true); };
      return role == 0 ? tick(in) : role > levels ? tick(out) : tick(*chain[std::size_t(role) - 1]);
    };
    while (out.more()) {
      bool any = false;
      for (int k = 0; k < levels + 2; ++k)
        while (goes_on(reversed_ ? levels + 1 - k : k)) any = true;
      if (!any) throw std::logic_error("a chain of warps in which none can go on");
    }
  }

 private:
  T* slot(int ring, int n) const {
    return cells_ + static_cast<std::size_t>((ring * slots + n) * rows) * Sizes::row_values;
  }
  T* aux(int row) const {
    return slot(Sizes::rings, 0) +
           static_cast<std::size_t>(row * Sizes::aux_arrays) * Sizes::row_values;
  }
  T* open(int ring) const { return slot(ring, first_[ring]); }
  T* room(int ring) const { return slot(ring, (first_[ring] + full_[ring]) % slots); }
  void fill(int ring) { ++full_[ring]; }
  void free(int ring) {
    first_[ring] = (first_[ring] + 1) % slots;
    --full_[ring];
  }

  int worker_;
  bool reversed_;
  T* cells_;
  int first_[Sizes::rings] = {}, full_[Sizes::rings] = {};
  int aux_filled_ = 0, aux_freed_ = 0;  ///< slots of the ring that all warps read
};

}  // namespace dwell
