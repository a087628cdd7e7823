// --reorder: verbs that work on a renumbered matrix, asked and answered in the caller's own numbers.
#pragma once

#include "common.hpp"
#include "nonzero/reorder.hpp"

#include <optional>

namespace nz::cli {

/// How far a matrix's entries lie from its diagonal.
struct diagonal_distance {
    offset_t bandwidth = 0;  ///< of the farthest entry
    offset_t profile = 0;    ///< sum over the rows of the distance of the farthest entry before the diagonal
};
diagonal_distance distance_of(const matrix& a);

/// --reorder NAME.
void add_reordering(CLI::App& verb, settings& s);

/// A matrix renumbered as s.reorder says, or as it is where that is empty. Numbers and vectors go in by place() and operand() and
/// come back by restored().
class renumbered {
public:
    /// Throws usage_error for a matrix that is not square.
    renumbered(const context& ctx, const settings& s, const nz::matrix& a);

    bool active() const { return order_.has_value(); }
    const nz::matrix& matrix() const { return matrix_; }
    const vector& order() const { return *order_; }
    offset_t place(offset_t vertex) const;
    vector operand(const vector& v) const { return active() ? permute(ctx_, v, *order_) : v; }
    vector restored(const vector& v) const { return active() ? restore(ctx_, v, *order_) : v; }
    /// Of results that are vertices.
    vector restored_vertices(const vector& v) const {
        return active() ? restore_vertices(ctx_, v, *order_) : v;
    }

    /// Adds "reorder" to a verb's object, or its line to the text, where it was asked for.
    void report_to(json& r) const;
    void print_line() const;

private:
    const context& ctx_;
    nz::matrix matrix_;
    std::optional<vector> order_;
    std::vector<index_t> places_;  // the inverse
    std::string name_;
    double ms_ = 0;
    diagonal_distance before_, after_;
};

}  // namespace nz::cli
