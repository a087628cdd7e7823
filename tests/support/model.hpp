// A second, independent meaning of every operation: matrices and vectors as dictionaries from places to
// values, masks, accumulators and replace word for word as in the GraphBLAS C specification. Slow and small;
// the oracle that even the reference kernels are held against. Vectors have one column.
#pragma once

#include "nonzero/nonzero.hpp"

#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace nz::test {

constexpr vector_form every_form[] = {vector_form::dense, vector_form::bitmap, vector_form::sparse};

using place = std::pair<index_t, index_t>;

struct dictionary {
    index_t rows = 0, columns = 0;
    dtype type = dtype::float64;
    std::map<place, element> entries;
};

dictionary read(const matrix& a);
dictionary read(const vector& v);
/// To some roundings: what exponentials and logarithms of two math libraries may differ by.
bool same_but_for_roundings(const dictionary& x, const dictionary& y);
/// The matrix with these entries; its values are iso or pattern where that is possible and `compact`.
matrix make_matrix(const context& ctx, const dictionary& d, bool compact = false);
vector make_vector(const context& ctx, const dictionary& d, vector_form form);
/// In a form that the dictionary allows, drawn by chance.
vector make_vector(const context& ctx, const dictionary& d, std::mt19937& random);
template <class Object>
Object make(const context& ctx, const dictionary& d, std::mt19937& random) {
    if constexpr (std::is_same_v<Object, vector>)
        return make_vector(ctx, d, random);
    else
        return make_matrix(ctx, d, random() % 2 == 0);
}

/// A value of this type: small, often 0 or 1, negative where the type allows.
element random_value(dtype type, std::mt19937& random);
dictionary random_dictionary(index_t rows, index_t columns, double density, dtype type, std::mt19937& random);
/// An entry in every place.
dictionary full_dictionary(index_t rows, index_t columns, dtype type, std::mt19937& random);
/// Numbers between -1 and 1.
std::vector<double> reals(std::size_t n, std::mt19937& random);
/// The same entries with values converted.
dictionary converted(const dictionary& d, dtype type);
dictionary transposed(const dictionary& d);

/// The second half of every operation.
struct writing {
    const dictionary* mask = nullptr;
    bool structure = false, complement = false, replace = false;
    std::optional<binary_op> accum;
};
dictionary write(const dictionary& c, const dictionary& t, const writing& how);

// The first halves: what T is.
dictionary model_mxm(const semiring& s, const dictionary& a, const dictionary& b);
dictionary model_ewise(const binary_op& op, const dictionary& a, const dictionary& b, bool intersection);
dictionary model_apply(const dictionary& a, dtype result,
                       const std::function<element(element, index_t, index_t)>& f);
dictionary model_select(const dictionary& a, const std::function<bool(element, index_t, index_t)>& keep);
dictionary model_reduce_rows(const monoid& add, const dictionary& a);
dictionary model_extract(const dictionary& a, const std::vector<index_t>& rows,
                         const std::vector<index_t>& columns);
dictionary model_kronecker(const binary_op& op, const dictionary& a, const dictionary& b);
/// The whole assignment: Z is c with the region assigned, then mask and replace.
dictionary model_assign(const dictionary& c, const dictionary& a, const std::vector<index_t>& rows,
                        const std::vector<index_t>& columns, const writing& how);
/// z = op(x, y) on the type that both promote to.
element compute(const binary_op& op, element x, dtype x_type, element y, dtype y_type);
dtype result_type(const binary_op& op, dtype x_type, dtype y_type);

/// "" when both have the same shape, type and entries (NaN equals NaN), else the first difference.
std::string difference(const dictionary& expected, const dictionary& found);
std::string show(element x, dtype type);

}  // namespace nz::test
