#include "algebra/table.hpp"

namespace nz::algebra {
namespace {

using enum domain;
using enum result;

constexpr binary_row binary_table[] = {
    // id                 name       operands   result   commutes monoid idempotent
    {binary_id::first, "first", any_type, operand, false, false, false},
    {binary_id::second, "second", any_type, operand, false, false, false},
    {binary_id::pair, "pair", any_type, operand, true, false, false},
    {binary_id::any, "any", any_type, operand, true, true, true},
    {binary_id::plus, "plus", any_type, operand, true, true, false},
    {binary_id::minus, "minus", any_type, operand, false, false, false},
    {binary_id::rminus, "rminus", any_type, operand, false, false, false},
    {binary_id::times, "times", any_type, operand, true, true, false},
    {binary_id::div, "div", any_type, operand, false, false, false},
    {binary_id::rdiv, "rdiv", any_type, operand, false, false, false},
    {binary_id::min, "min", any_type, operand, true, true, true},
    {binary_id::max, "max", any_type, operand, true, true, true},
    {binary_id::eq, "eq", any_type, truth, true, true, false},  // a monoid on bool only, where it is lxnor
    {binary_id::ne, "ne", any_type, truth, true, false, false},
    {binary_id::gt, "gt", any_type, truth, false, false, false},
    {binary_id::lt, "lt", any_type, truth, false, false, false},
    {binary_id::ge, "ge", any_type, truth, false, false, false},
    {binary_id::le, "le", any_type, truth, false, false, false},
    {binary_id::lor, "lor", logical, truth, true, true, true},
    {binary_id::land, "land", logical, truth, true, true, true},
    {binary_id::lxor, "lxor", logical, truth, true, true, false},
    {binary_id::lxnor, "lxnor", logical, truth, true, true, false},
    {binary_id::bor, "bor", integers, operand, true, true, true},
    {binary_id::band, "band", integers, operand, true, true, true},
    {binary_id::bxor, "bxor", integers, operand, true, true, false},
    {binary_id::bxnor, "bxnor", integers, operand, true, true, false},
    {binary_id::firsti, "firsti", positions, operand, false, false, false},
    {binary_id::firstj, "firstj", positions, operand, false, false, false},
    {binary_id::secondi, "secondi", positions, operand, false, false, false},
    {binary_id::secondj, "secondj", positions, operand, false, false, false},
};

constexpr unary_row unary_table[] = {
    {unary_id::identity, "identity", any_type}, {unary_id::ainv, "ainv", any_type},
    {unary_id::minv, "minv", any_type},         {unary_id::abs, "abs", any_type},
    {unary_id::lnot, "lnot", any_type},         {unary_id::bnot, "bnot", integers},
    {unary_id::one, "one", any_type},           {unary_id::signum, "signum", any_type},
    {unary_id::floor, "floor", any_type},       {unary_id::ceil, "ceil", any_type},
    {unary_id::round, "round", any_type},       {unary_id::trunc, "trunc", any_type},
    {unary_id::sqrt, "sqrt", floating},         {unary_id::exp, "exp", floating},
    {unary_id::expm1, "expm1", floating},       {unary_id::log, "log", floating},
    {unary_id::log1p, "log1p", floating},
};

constexpr index_unary_row index_unary_table[] = {
    {index_unary_id::tril, "tril"},           {index_unary_id::triu, "triu"},
    {index_unary_id::diag, "diag"},           {index_unary_id::offdiag, "offdiag"},
    {index_unary_id::rowle, "rowle"},         {index_unary_id::rowgt, "rowgt"},
    {index_unary_id::colle, "colle"},         {index_unary_id::colgt, "colgt"},
    {index_unary_id::valueeq, "valueeq"},     {index_unary_id::valuene, "valuene"},
    {index_unary_id::valuelt, "valuelt"},     {index_unary_id::valuele, "valuele"},
    {index_unary_id::valuegt, "valuegt"},     {index_unary_id::valuege, "valuege"},
    {index_unary_id::rowindex, "rowindex"},   {index_unary_id::colindex, "colindex"},
    {index_unary_id::diagindex, "diagindex"},
};

}  // namespace

std::span<const binary_row> binary_rows() { return binary_table; }
std::span<const unary_row> unary_rows() { return unary_table; }
std::span<const index_unary_row> index_unary_rows() { return index_unary_table; }

}  // namespace nz::algebra
