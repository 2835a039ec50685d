// SPDX-License-Identifier: MIT
// Elimination tree, postorder and column counts, as Davis (2006, chapter 4) describes them.
#include "dwell/solvers/linear/direct/fill.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace dwell {
namespace {

constexpr index no_node = -1;

/// A symmetric pattern in an order of elimination. f(k) for the numbers of the neighbours.
struct ordered_pattern {
  const row_pattern& of;
  std::span<const index> order;
  std::vector<index> number;  ///< number in the order, of each row

  ordered_pattern(const row_pattern& a, std::span<const index> by)
      : of(a), order(by), number(by.size()) {
    for (std::size_t k = 0; k < by.size(); ++k) number[slot(by[k])] = static_cast<index>(k);
  }
  template <class F>
  void each_neighbour(index k, F&& f) const {
    const index row = order[slot(k)];
    for (index e = of.row_ptr[row]; e < of.row_ptr[row + 1]; ++e) f(number[slot(of.col[e])]);
  }
};

/// The parent of each column: the first row below the diagonal that its column of L has.
std::vector<index> elimination_tree(const ordered_pattern& a) {
  const index n = a.of.rows;
  std::vector<index> parent(slot(n), no_node), ancestor(slot(n), no_node);
  for (index k = 0; k < n; ++k)
    a.each_neighbour(k, [&](index i) {
      while (i != no_node && i < k) {
        const index next = ancestor[slot(i)];
        ancestor[slot(i)] = k;  // paths become short
        if (next == no_node) parent[slot(i)] = k;
        i = next;
      }
    });
  return parent;
}

/// The nodes, children before their parents and a subtree in a row.
std::vector<index> postorder(const std::vector<index>& parent) {
  const auto n = static_cast<index>(parent.size());
  std::vector<index> child(slot(n), no_node), sibling(slot(n), no_node), stack, post;
  for (index k = n - 1; k >= 0; --k)
    if (const index p = parent[slot(k)]; p != no_node)
      sibling[slot(k)] = child[slot(p)], child[slot(p)] = k;
  post.reserve(slot(n));
  for (index root = 0; root < n; ++root) {
    if (parent[slot(root)] != no_node) continue;
    stack.push_back(root);
    while (!stack.empty()) {
      const index top = stack.back();
      if (const index next = child[slot(top)]; next != no_node) {
        child[slot(top)] = sibling[slot(next)];
        stack.push_back(next);
      } else {
        stack.pop_back();
        post.push_back(top);
      }
    }
  }
  return post;
}

/// Finds whether a column is a leaf of a row's subtree, and what it shares with the leaf before.
class row_subtrees {
 public:
  explicit row_subtrees(index n)
      : most_first_(slot(n), no_node), leaf_before_(slot(n), no_node), ancestor_(slot(n)) {
    std::iota(ancestor_.begin(), ancestor_.end(), 0);
  }
  struct found {
    bool leaf = false;
    index shared = no_node;  ///< least common ancestor with the leaf before, if there is one
  };
  found look(index row, index column, const std::vector<index>& first) {
    if (row <= column || first[slot(column)] <= most_first_[slot(row)]) return {};
    most_first_[slot(row)] = first[slot(column)];
    const index before = std::exchange(leaf_before_[slot(row)], column);
    if (before == no_node) return {true, no_node};
    index root = before;
    while (root != ancestor_[slot(root)]) root = ancestor_[slot(root)];
    for (index s = before; s != root;) s = std::exchange(ancestor_[slot(s)], root);
    return {true, root};
  }
  void join(index node, index parent) { ancestor_[slot(node)] = parent; }

 private:
  std::vector<index> most_first_, leaf_before_, ancestor_;
};

/// Nonzeros of each column of L, the diagonal included.
std::vector<double> column_counts(const ordered_pattern& a, const std::vector<index>& parent) {
  const index n = a.of.rows;
  const std::vector<index> post = postorder(parent);
  std::vector<index> first(slot(n), no_node);
  std::vector<double> count(slot(n), 0.0);
  for (index k = 0; k < n; ++k) {
    index j = post[slot(k)];
    if (first[slot(j)] == no_node) count[slot(j)] = 1;  // a leaf of the tree
    for (; j != no_node && first[slot(j)] == no_node; j = parent[slot(j)]) first[slot(j)] = k;
  }
  row_subtrees rows(n);
  for (const index j : post) {
    const index p = parent[slot(j)];
    if (p != no_node) count[slot(p)] -= 1;
    a.each_neighbour(j, [&](index i) {
      const row_subtrees::found seen = rows.look(i, j, first);
      if (seen.leaf) count[slot(j)] += 1;
      if (seen.shared != no_node) count[slot(seen.shared)] -= 1;
    });
    if (p != no_node) rows.join(j, p);
  }
  for (index j = 0; j < n; ++j)
    if (parent[slot(j)] != no_node) count[slot(parent[slot(j)])] += count[slot(j)];
  return count;
}

}  // namespace

owned_pattern with_mirrors(const row_pattern& a) {
  const index n = a.rows;
  // The transpose, whose columns ascend as rows come in order.
  std::vector<index> begin(slot(n) + 1, 0);
  const index nonzeros = n > 0 ? a.row_ptr[n] : 0;
  for (index e = 0; e < nonzeros; ++e) ++begin[slot(a.col[e]) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  std::vector<index> place(begin.begin(), begin.end()), mirror(slot(nonzeros));
  for (index i = 0; i < n; ++i)
    for (index e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e)
      mirror[slot(place[slot(a.col[e])]++)] = i;
  owned_pattern out;
  out.row_ptr.reserve(slot(n) + 1);
  out.row_ptr.push_back(0);
  out.col.reserve(slot(nonzeros));
  for (index i = 0; i < n; ++i) {
    std::set_union(a.col + a.row_ptr[i], a.col + a.row_ptr[i + 1], mirror.data() + begin[slot(i)],
                   mirror.data() + begin[slot(i) + 1], std::back_inserter(out.col));
    out.row_ptr.push_back(static_cast<index>(out.col.size()));
  }
  return out;
}

bool has_mirrors(const row_pattern& a) {
  // Mirrors of the entries above the diagonal lie under cursors that only advance.
  std::vector<index> cursor(a.row_ptr, a.row_ptr + a.rows);
  index above = 0, below = 0;
  for (index i = 0; i < a.rows; ++i)
    for (index e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e) {
      const index j = a.col[e];
      if (j < i) ++below;
      if (j <= i) continue;
      ++above;
      index& c = cursor[slot(j)];
      while (c < a.row_ptr[j + 1] && a.col[c] < i) ++c;
      if (c == a.row_ptr[j + 1] || a.col[c] != i) return false;
    }
  return above == below;
}

factor_fill fill_of(const row_pattern& symmetric, std::span<const index> order) {
  const ordered_pattern a(symmetric, order);
  factor_fill all;
  for (const double c : column_counts(a, elimination_tree(a))) {
    all.nonzeros += c;
    all.flops += c * c;
  }
  return all;
}

}  // namespace dwell
