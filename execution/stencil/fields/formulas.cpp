// SPDX-License-Identifier: MIT
// Words of a text, then expressions by recursive descent, a function for each rank of operators.
#include "dwell/stencil/formulas.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "dwell/base/nearest.hpp"
#include "dwell/stencil/tape_recorder.hpp"

namespace dwell {
namespace {

enum class word_kind { number, name, sign, line_end, text_end };
struct text_word {
  word_kind kind = word_kind::text_end;
  std::string_view text;
  int line = 1, column = 1;
};

constexpr std::array function_ops{cell_op::fma,  cell_op::min,  cell_op::max,   cell_op::abs,
                                  cell_op::sqrt, cell_op::exp,  cell_op::log,   cell_op::sin,
                                  cell_op::cos,  cell_op::tanh, cell_op::floor, cell_op::where};
std::optional<cell_op> function_of(std::string_view name) {
  for (const cell_op op : function_ops)
    if (to_string(op) == name) return op;
  return std::nullopt;
}

bool begins_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// The words of a stage. Line ends within parentheses are none.
class text_words {
 public:
  text_words(int stage, std::string_view text) : stage_(stage) {
    int line = 1, open = 0;
    std::size_t begin = 0;  // where the line begins
    const auto add = [&](word_kind kind, std::size_t from, std::size_t size) {
      words_.push_back({kind, text.substr(from, size), line, static_cast<int>(from - begin) + 1});
    };
    for (std::size_t at = 0; at < text.size();) {
      const char c = text[at];
      if (c == '\n' || c == ';') {
        if (open <= 0) add(word_kind::line_end, at, 1);
        ++at;
        if (c == '\n') ++line, begin = at;
      } else if (c == '#') {
        at = std::min(text.find('\n', at), text.size());
      } else if (c == ' ' || c == '\t' || c == '\r') {
        ++at;
      } else if (begins_name(c)) {
        std::size_t end = at;
        while (end < text.size() && (begins_name(text[end]) || is_digit(text[end]))) ++end;
        add(word_kind::name, at, end - at);
        at = end;
      } else if (is_digit(c) || (c == '.' && at + 1 < text.size() && is_digit(text[at + 1]))) {
        double value = 0;
        const auto [end, bad] = std::from_chars(text.data() + at, text.data() + text.size(), value);
        add(word_kind::number, at, static_cast<std::size_t>(end - (text.data() + at)));
        if (bad != std::errc() || (end < text.data() + text.size() && begins_name(*end)))
          refuse(words_.back(), "expected a number, found " + shown(words_.back()));
        at += words_.back().text.size();
      } else {
        constexpr std::string_view doubles[] = {"**", "<=", ">=", "==", "!="};
        const bool two = std::ranges::find(doubles, text.substr(at, 2)) != std::end(doubles);
        add(word_kind::sign, at, two ? 2 : 1);
        if (!two && std::string_view("+-*/()[],=<>&|~").find(c) == std::string_view::npos)
          refuse(words_.back(), "expected a formula, found " + shown(words_.back()));
        open += c == '(' || c == '[' ? 1 : c == ')' || c == ']' ? -1 : 0;
        at += two ? 2 : 1;
      }
    }
    add(word_kind::line_end, text.size(), 0);
    add(word_kind::text_end, text.size(), 0);
  }

  const text_word& now() const { return words_[at_]; }
  text_word take() { return words_[at_ + 1 < words_.size() ? at_++ : at_]; }
  bool is(std::string_view sign) const {
    return now().kind == word_kind::sign && now().text == sign;
  }
  bool take_if(std::string_view sign) {
    if (!is(sign)) return false;
    take();
    return true;
  }
  void expect(std::string_view sign) {
    if (!take_if(sign)) refuse(now(), fmt::format("expected '{}', found {}", sign, shown(now())));
  }
  static std::string shown(const text_word& w) {
    if (w.kind == word_kind::line_end || w.kind == word_kind::text_end) return "the line's end";
    return fmt::format("'{}'", w.text);
  }
  [[noreturn]] void refuse(const text_word& at, const std::string& what) const {
    throw formula_error(stage_, at.line, at.column, what);
  }

 private:
  int stage_;
  std::vector<text_word> words_;
  std::size_t at_ = 0;
};

class formula_parser {
 public:
  explicit formula_parser(const stencil_formulas& given)
      : given_(given),
        tape_{given.name, given.dims, given.fields, given.coefficients, given.parameters, {}, {}},
        recorder_(tape_) {
    for (const auto* list : {&given.fields, &given.coefficients, &given.parameters})
      for (const std::string& name : *list) {
        if (function_of(name))
          throw input_error(fmt::format(
              "{}: expected another name than that of a function, found '{}'", given.name, name));
        known_.push_back(name);
      }
  }

  stencil_definition parse() {
    for (std::size_t s = 0; s < given_.stages.size(); ++s) add_stage(static_cast<int>(s));
    if (tape_.dims == 0)
      throw input_error(given_.name + ": no neighbour is read: expected dims, 1, 2 or 3");
    drop_unused();
    return stencil_definition(std::move(tape_));
  }

 private:
  void add_stage(int stage) {
    text_words words(stage, given_.stages[static_cast<std::size_t>(stage)]);
    words_ = &words;
    parts_.clear();
    auto& outputs = tape_.stages.emplace_back();
    while (words.now().kind != word_kind::text_end) {
      const text_word name = words.take();
      if (name.kind == word_kind::line_end) continue;
      if (name.kind != word_kind::name)
        words.refuse(name, "expected NAME = EXPRESSION, found " + text_words::shown(name));
      words.expect("=");
      const text_word begin = words.now();
      const int value = expression();
      if (words.now().kind != word_kind::line_end)
        words.refuse(words.now(), "expected an operator or the line's end, found " +
                                      text_words::shown(words.now()));
      put(name, begin, value, outputs);
    }
    if (outputs.empty()) words.refuse(words.now(), "expected a new value of a field, found none");
    std::ranges::sort(outputs, {}, &cell_output::field);
  }

  void put(const text_word& name, const text_word& begin, int value,
           std::vector<cell_output>& outputs) {
    const auto field = std::ranges::find(given_.fields, name.text);
    if (field == given_.fields.end()) {
      if (std::ranges::find(known_, name.text) != known_.end() || function_of(name.text))
        words_->refuse(name, fmt::format("expected a field or a new name, found '{}'", name.text));
      if (!parts_.emplace(std::string(name.text), value).second)
        words_->refuse(name, fmt::format("expected each name once, found '{}' again", name.text));
      return;
    }
    if (is_logical(node(value).op))
      words_->refuse(begin, fmt::format("{}: expected a number, found a condition: where() makes a "
                                        "number of it",
                                        name.text));
    const auto number = static_cast<int>(field - given_.fields.begin());
    if (std::ranges::find(outputs, number, &cell_output::field) != outputs.end())
      words_->refuse(name, fmt::format("expected each field once, found '{}' again", name.text));
    outputs.push_back({number, value});
  }

  /// Neighbours of expressions leave nodes that nobody needs.
  void drop_unused() {
    std::vector<int> place(tape_.nodes.size(), -1);
    for (const auto& stage : tape_.stages)
      for (const cell_output& o : stage) place[static_cast<std::size_t>(o.node)] = 0;
    for (std::size_t i = place.size(); i-- > 0;)
      for (int k = 0; place[i] == 0 && k < operand_count(tape_.nodes[i].op); ++k)
        place[static_cast<std::size_t>(tape_.nodes[i].operands[static_cast<std::size_t>(k)])] = 0;
    std::vector<cell_node> used;
    for (std::size_t i = 0; i < place.size(); ++i) {
      if (place[i] < 0) continue;
      cell_node n = tape_.nodes[i];
      for (int k = 0; k < operand_count(n.op); ++k) {
        int& operand = n.operands[static_cast<std::size_t>(k)];
        operand = place[static_cast<std::size_t>(operand)];
      }
      place[i] = static_cast<int>(used.size());
      used.push_back(n);
    }
    tape_.nodes = std::move(used);
    for (auto& stage : tape_.stages)
      for (cell_output& o : stage) o.node = place[static_cast<std::size_t>(o.node)];
  }

  const cell_node& node(int i) const { return tape_.nodes[static_cast<std::size_t>(i)]; }
  bool is_number(int i) const { return node(i).op == cell_op::constant; }
  double value_of(int i) const { return node(i).value; }
  int add(const cell_node& n) {
    if (tape_.nodes.size() > static_cast<std::size_t>(stencil_definition::most_nodes))
      words_->refuse(words_->now(), fmt::format("expected at most {} operations, found more",
                                                stencil_definition::most_nodes));
    return recorder_.add(n);
  }
  int constant(double value, const text_word& at) {
    if (!std::isfinite(value)) words_->refuse(at, "expected a finite number");
    return add(cell_node::constant(value));
  }

  /// Operands must be numbers, or conditions.
  void require_kind(int operand, bool logical, const text_word& at) {
    if (is_logical(node(operand).op) == logical) return;
    words_->refuse(at, logical ? "expected a condition, found a number"
                               : "expected a number, found a condition: where() makes a number of "
                                 "it");
  }
  int apply(cell_op op, int a, int b, const text_word& at) {
    const bool logical = op == cell_op::logical_and || op == cell_op::logical_or;
    require_kind(a, logical, at);
    require_kind(b, logical, at);
    if (is_number(a) && is_number(b)) {
      const double x = value_of(a), y = value_of(b);
      if (op == cell_op::add) return constant(x + y, at);
      if (op == cell_op::sub) return constant(x - y, at);
      if (op == cell_op::mul) return constant(x * y, at);
      if (op == cell_op::div) return constant(x / y, at);
    }
    return add(cell_node::operation(op, a, b));
  }

  struct sign_of {
    std::string_view sign;
    cell_op op;
  };
  /// Operators of one rank, from left to right.
  template <std::size_t N, class Next>
  int from_left(const sign_of (&signs)[N], Next&& next) {
    int left = next();
    for (;;) {
      const auto found =
          std::ranges::find_if(signs, [&](const sign_of& s) { return words_->is(s.sign); });
      if (found == std::end(signs)) return left;
      const text_word at = words_->take();
      left = apply(found->op, left, next(), at);
    }
  }

  int expression() {
    constexpr int most = 100;
    if (++depth_ > most)
      words_->refuse(
          words_->now(),
          fmt::format("expected at most {} expressions in one another, found more", most));
    const int value = comparison();
    --depth_;
    return value;
  }
  int comparison() {
    static constexpr sign_of signs[] = {{"<", cell_op::less},    {"<=", cell_op::less_equal},
                                        {">", cell_op::greater}, {">=", cell_op::greater_equal},
                                        {"==", cell_op::equal},  {"!=", cell_op::not_equal}};
    const int left = either();
    const auto sign = [&] {
      return std::ranges::find_if(signs, [&](const sign_of& s) { return words_->is(s.sign); });
    };
    const auto found = sign();
    if (found == std::end(signs)) return left;
    const text_word at = words_->take();
    const int value = apply(found->op, left, either(), at);
    if (sign() != std::end(signs))
      words_->refuse(words_->now(),
                     "expected one comparison: put each in parentheses, with & between");
    return value;
  }
  int either() {
    static constexpr sign_of signs[] = {{"|", cell_op::logical_or}};
    return from_left(signs, [&] { return both(); });
  }
  int both() {
    static constexpr sign_of signs[] = {{"&", cell_op::logical_and}};
    return from_left(signs, [&] { return sum(); });
  }
  int sum() {
    static constexpr sign_of signs[] = {{"+", cell_op::add}, {"-", cell_op::sub}};
    return from_left(signs, [&] { return product(); });
  }
  int product() {
    static constexpr sign_of signs[] = {{"*", cell_op::mul}, {"/", cell_op::div}};
    return from_left(signs, [&] { return signed_one(); });
  }
  int signed_one() {
    bool minus = false, negated = false;
    const text_word at = words_->now();
    for (;; words_->take()) {
      if (words_->is("-"))
        minus = !minus;
      else if (words_->is("~"))
        negated = !negated;
      else if (!words_->is("+"))
        break;
    }
    const int value = power();
    if (negated) {
      require_kind(value, true, at);
      return add(cell_node::operation(cell_op::logical_not, value));
    }
    if (!minus) return value;
    require_kind(value, false, at);
    if (is_number(value)) return constant(-value_of(value), at);
    return add(cell_node::operation(cell_op::neg, value));
  }
  int power() {
    const int base = neighbour();
    if (!words_->is("**")) return base;
    const text_word at = words_->take();
    require_kind(base, false, at);
    const int exponent = signed_one();
    constexpr double most = 64;
    if (!is_number(exponent) || value_of(exponent) != std::floor(value_of(exponent)) ||
        std::abs(value_of(exponent)) > most)
      words_->refuse(at, fmt::format("expected a whole number from -{0} to {0} as exponent", most));
    return raised(base, static_cast<int>(value_of(exponent)), at);
  }
  int raised(int base, int exponent, const text_word& at) {
    if (exponent < 0) return apply(cell_op::div, constant(1, at), raised(base, -exponent, at), at);
    if (exponent == 0) return constant(1, at);
    if (exponent == 1) return base;
    const int half = raised(base, exponent / 2, at);
    const int square = apply(cell_op::mul, half, half, at);
    return exponent % 2 == 0 ? square : apply(cell_op::mul, square, base, at);
  }

  /// A value, or one beside the cell.
  int neighbour() {
    int value = atom();
    while (words_->is("[")) {
      const text_word at = words_->take();
      std::vector<int> offset;
      do {
        const bool minus = words_->take_if("-");
        const text_word number = words_->take();
        int n = 0;
        const char* const end = number.text.data() + number.text.size();
        if (number.kind != word_kind::number ||
            std::from_chars(number.text.data(), end, n).ptr != end || n > 100)
          words_->refuse(number,
                         "expected a whole number of cells, found " + text_words::shown(number));
        offset.push_back(minus ? -n : n);
      } while (words_->take_if(","));
      words_->expect("]");
      const auto axes = static_cast<int>(offset.size());
      if (tape_.dims == 0 && axes <= 3) tape_.dims = axes;
      if (axes != tape_.dims)
        words_->refuse(at, fmt::format("expected an offset for each of {} axes, found {}",
                                       tape_.dims == 0 ? 3 : tape_.dims, axes));
      std::array<int, 3> by{};
      std::copy(offset.begin(), offset.end(), by.end() - axes);
      shifted_.clear();
      value = shifted(value, by, at);
    }
    return value;
  }
  int shifted(int value, const std::array<int, 3>& by, const text_word& at) {
    if (const auto known = shifted_.find(value); known != shifted_.end()) return known->second;
    cell_node n = node(value);
    if (n.op == cell_op::tap)
      for (std::size_t axis = 0; axis < 3; ++axis) {
        n.offset[axis] += by[axis];
        const int most = stencil_definition::most_radius;
        if (std::abs(n.offset[axis]) > most)
          words_->refuse(at, fmt::format("expected neighbours at most {} away in {}-D, found {}",
                                         most, tape_.dims, std::abs(n.offset[axis])));
      }
    for (int k = 0; k < operand_count(n.op); ++k)
      n.operands[static_cast<std::size_t>(k)] =
          shifted(n.operands[static_cast<std::size_t>(k)], by, at);
    return shifted_[value] = add(n);
  }

  int atom() {
    const text_word word = words_->take();
    if (word.kind == word_kind::number) {
      double value = 0;
      std::from_chars(word.text.data(), word.text.data() + word.text.size(), value);
      return constant(value, word);
    }
    if (word.kind == word_kind::name) return named(word);
    if (word.kind == word_kind::sign && word.text == "(") {
      const int value = expression();
      words_->expect(")");
      return value;
    }
    words_->refuse(word, "expected a number, a name or '(', found " + text_words::shown(word));
  }
  int named(const text_word& word) {
    if (words_->is("(")) return call(word);
    if (const auto part = parts_.find(std::string(word.text)); part != parts_.end())
      return part->second;
    const auto place = [&](const std::vector<std::string>& names) {
      const auto found = std::ranges::find(names, word.text);
      return found == names.end() ? -1 : static_cast<int>(found - names.begin());
    };
    cell_node tap;
    tap.op = cell_op::tap;
    if (const int field = place(given_.fields); field >= 0) {
      tap.index = field;
      return add(tap);
    }
    if (const int c = place(given_.coefficients); c >= 0) {
      tap.index = static_cast<int>(given_.fields.size()) + c;
      return add(tap);
    }
    if (const int p = place(given_.parameters); p >= 0) return add(cell_node::parameter(p));
    std::vector<std::string> all = known_;
    for (const auto& [name, value] : parts_) all.push_back(name);
    words_->refuse(word, "expected a name that is known, found " + found_word(word.text, all));
  }
  int call(const text_word& word) {
    const auto op = function_of(word.text);
    if (!op) {
      std::vector<std::string> all;
      for (const cell_op one : function_ops) all.emplace_back(to_string(one));
      words_->refuse(word,
                     "expected a function that is known, found " + found_word(word.text, all));
    }
    words_->expect("(");
    std::vector<int> operands;
    std::vector<text_word> begins;
    do {
      begins.push_back(words_->now());
      operands.push_back(expression());
    } while (words_->take_if(","));
    words_->expect(")");
    const auto count = static_cast<std::size_t>(operand_count(*op));
    if (operands.size() != count)
      words_->refuse(word, fmt::format("{}: expected {} operand{}, found {}", word.text, count,
                                       count == 1 ? "" : "s", operands.size()));
    for (std::size_t k = 0; k < count; ++k)
      require_kind(operands[k], *op == cell_op::where && k == 0, begins[k]);
    operands.resize(3);
    return add(cell_node::operation(*op, operands[0], operands[1], operands[2]));
  }

  const stencil_formulas& given_;
  cell_tape tape_;
  detail::tape_recorder recorder_;
  std::vector<std::string> known_;
  std::map<std::string, int> parts_;  ///< names of a stage's own
  std::map<int, int> shifted_;
  text_words* words_ = nullptr;
  int depth_ = 0;
};

}  // namespace

formula_error::formula_error(int of_stage, int in_line, int column, const std::string& what)
    : input_error(fmt::format("line {}, column {}: {}", in_line, column, what)),
      stage(of_stage),
      line(in_line),
      what_is_wrong(what) {}

stencil_definition parse_formulas(const stencil_formulas& text) {
  return formula_parser(text).parse();
}

}  // namespace dwell
