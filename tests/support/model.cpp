#include "support/model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace nz::test {

dictionary read(const matrix& a) {
    dictionary d{static_cast<index_t>(a.rows()), static_cast<index_t>(a.columns()), a.type(), {}};
    dispatch(a.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> rows, columns;
        std::vector<T> values;
        a.extract_tuples(rows, columns, values);
        for (std::size_t k = 0; k < rows.size(); ++k)
            d.entries[{rows[k], columns[k]}] = to_element(static_cast<T>(values[k]));
    });
    return d;
}

dictionary read(const vector& v) {
    dictionary d{static_cast<index_t>(v.size()), 1, v.type(), {}};
    dispatch(v.type(), [&]<class T>(std::type_identity<T>) {
        std::vector<index_t> indices;
        std::vector<T> values;
        v.extract_tuples(indices, values);
        for (std::size_t k = 0; k < indices.size(); ++k)
            d.entries[{indices[k], 0}] = to_element(static_cast<T>(values[k]));
    });
    return d;
}

bool same_but_for_roundings(const dictionary& x, const dictionary& y) {
    const double most = x.type == dtype::float32 ? 1e-6 : 1e-14;
    return std::ranges::equal(x.entries, y.entries, [&](const auto& a, const auto& b) {
        const double p = from_element<double>(cast(a.second, x.type, dtype::float64)),
                     q = from_element<double>(cast(b.second, y.type, dtype::float64));
        return a.first == b.first &&
               (p == q || (p != p && q != q) || std::fabs(p - q) <= most * std::fabs(p));
    });
}

matrix make_matrix(const context& ctx, const dictionary& d, bool compact) {
    return dispatch(d.type, [&]<class T>(std::type_identity<T>) {
        std::vector<std::int32_t> offsets(static_cast<std::size_t>(d.rows) + 1);
        std::vector<index_t> columns;
        const auto values = std::make_unique<T[]>(d.entries.size() + 1);
        bool iso = compact && !d.entries.empty();
        for (const auto& [at, x] : d.entries) {
            ++offsets[static_cast<std::size_t>(at.first) + 1];
            values[columns.size()] = from_element<T>(x);
            columns.push_back(at.second);
            iso = iso && x == d.entries.begin()->second;
        }
        for (std::size_t i = 1; i < offsets.size(); ++i) offsets[i] += offsets[i - 1];
        const bool pattern = iso && values[0] == T(1);
        return matrix::from_csr(ctx, csr_view<T>{d.rows,
                                                 d.columns,
                                                 offsets,
                                                 columns,
                                                 {values.get(), pattern ? 0
                                                                : iso   ? 1
                                                                        : columns.size()}});
    });
}

vector make_vector(const context& ctx, const dictionary& d, vector_form form) {
    vector v(ctx, d.type, d.rows);
    for (const auto& [at, x] : d.entries) v.set(at.first, scalar(d.type, x));
    v.convert_to(form);
    return v;
}
vector make_vector(const context& ctx, const dictionary& d, std::mt19937& random) {
    const bool full = static_cast<std::size_t>(d.rows) == d.entries.size();
    return make_vector(ctx, d, static_cast<vector_form>(full ? random() % 3 : 1 + random() % 2));
}

element random_value(dtype type, std::mt19937& random) {
    const int small = static_cast<int>(random() % 8) - 3;
    return dispatch(type, [&]<class T>(std::type_identity<T>) {
        if constexpr (std::is_floating_point_v<T>)
            return to_element(static_cast<T>(small) / 2);
        else
            return to_element(convert<T>(small));
    });
}

dictionary random_dictionary(index_t rows, index_t columns, double density, dtype type,
                             std::mt19937& random) {
    dictionary d{rows, columns, type, {}};
    std::uniform_real_distribution<double> chance;
    for (index_t i = 0; i < rows; ++i)
        for (index_t j = 0; j < columns; ++j)
            if (chance(random) < density) d.entries[{i, j}] = random_value(type, random);
    return d;
}
dictionary full_dictionary(index_t rows, index_t columns, dtype type, std::mt19937& random) {
    return random_dictionary(rows, columns, 2, type, random);
}
std::vector<double> reals(std::size_t n, std::mt19937& random) {
    std::uniform_real_distribution<double> real(-1, 1);
    std::vector<double> x(n);
    for (double& v : x) v = real(random);
    return x;
}

dictionary converted(const dictionary& d, dtype type) {
    dictionary out{d.rows, d.columns, type, {}};
    for (const auto& [at, x] : d.entries) out.entries[at] = cast(x, d.type, type);
    return out;
}

dictionary transposed(const dictionary& d) {
    dictionary out{d.columns, d.rows, d.type, {}};
    for (const auto& [at, x] : d.entries) out.entries[{at.second, at.first}] = x;
    return out;
}

namespace {
// What an operator ignores has no say in the type.
dtype common_type(const binary_op& op, dtype x, dtype y) {
    const bool x_counts = op.id() != binary_id::second, y_counts = op.id() != binary_id::first;
    return x_counts && y_counts ? promote(x, y) : x_counts ? x : y;
}
element compute_in(dtype common, const binary_op& op, element x, dtype x_type, element y, dtype y_type) {
    const dtype in = op.input_type(common);
    return op.resolve(common)(op.context(), cast(x, x_type, in), cast(y, y_type, in));
}
}  // namespace

element compute(const binary_op& op, element x, dtype x_type, element y, dtype y_type) {
    return compute_in(common_type(op, x_type, y_type), op, x, x_type, y, y_type);
}
dtype result_type(const binary_op& op, dtype x_type, dtype y_type) {
    return op.output_type(common_type(op, x_type, y_type));
}

dictionary write(const dictionary& c, const dictionary& t, const writing& how) {
    dictionary z = converted(t, c.type);
    if (how.accum)
        for (const auto& [at, x] : c.entries) {
            const auto other = t.entries.find(at);
            z.entries[at] = other == t.entries.end()
                                ? x
                                : cast(compute(*how.accum, x, c.type, other->second, t.type),
                                       result_type(*how.accum, c.type, t.type), c.type);
        }
    std::set<place> mask;
    for (index_t i = 0; i < c.rows; ++i)
        for (index_t j = 0; j < c.columns; ++j) {
            bool inside = true;
            if (how.mask) {
                const auto m = how.mask->entries.find({i, j});
                inside =
                    m != how.mask->entries.end() &&
                    (how.structure || from_element<bool>(cast(m->second, how.mask->type, dtype::boolean)));
            }
            if (inside != how.complement) mask.insert({i, j});
        }
    dictionary out{c.rows, c.columns, c.type, {}};
    for (const auto& [at, x] : z.entries)
        if (mask.contains(at)) out.entries[at] = x;
    for (const auto& [at, x] : c.entries)
        if (!mask.contains(at) && !how.replace) out.entries[at] = x;
    return out;
}

namespace {
element placed(const binary_op& op, dtype type, const place& first, const place& second) {
    const index_t at = op.id() == binary_id::firsti    ? first.first
                       : op.id() == binary_id::firstj  ? first.second
                       : op.id() == binary_id::secondi ? second.first
                                                       : second.second;
    return cast(to_element(std::int64_t{at}), dtype::int64, type);
}
}  // namespace

dictionary model_mxm(const semiring& s, const dictionary& a, const dictionary& b) {
    const dtype common = s.operand_type(a.type, b.type), type = s.value_type(a.type, b.type);
    const binary_op& multiply = s.multiply();
    dictionary t{a.rows, b.columns, type, {}};
    for (const auto& [ik, x] : a.entries)
        for (const auto& [kj, y] : b.entries) {
            if (ik.second != kj.first) continue;
            element product;
            if (multiply.positional()) {
                product = placed(multiply, type, ik, kj);
            } else {
                const dtype in = multiply.input_type(common);
                product =
                    multiply.resolve(common)(multiply.context(), cast(x, a.type, in), cast(y, b.type, in));
                product = cast(product, multiply.output_type(common), type);
            }
            const place at{ik.first, kj.second};
            const auto sum = t.entries.find(at);
            if (sum == t.entries.end())
                t.entries[at] = product;
            else
                sum->second = compute(s.add().op(), sum->second, type, product, type);
        }
    return t;
}

dictionary model_ewise(const binary_op& op, const dictionary& a, const dictionary& b, bool intersection) {
    // Of a union both have entries.
    const dtype common = intersection ? common_type(op, a.type, b.type) : promote(a.type, b.type);
    dictionary t{a.rows, a.columns, op.output_type(common), {}};
    for (const auto& [at, x] : a.entries) {
        const auto y = b.entries.find(at);
        if (y != b.entries.end())
            t.entries[at] = op.positional() ? placed(op, t.type, at, at)
                                            : compute_in(common, op, x, a.type, y->second, b.type);
        else if (!intersection)
            t.entries[at] = cast(x, a.type, t.type);
    }
    for (const auto& [at, y] : b.entries)
        if (!intersection && !a.entries.contains(at)) t.entries[at] = cast(y, b.type, t.type);
    return t;
}

dictionary model_apply(const dictionary& a, dtype result,
                       const std::function<element(element, index_t, index_t)>& f) {
    dictionary t{a.rows, a.columns, result, {}};
    for (const auto& [at, x] : a.entries) t.entries[at] = f(x, at.first, at.second);
    return t;
}

dictionary model_select(const dictionary& a, const std::function<bool(element, index_t, index_t)>& keep) {
    dictionary t{a.rows, a.columns, a.type, {}};
    for (const auto& [at, x] : a.entries)
        if (keep(x, at.first, at.second)) t.entries[at] = x;
    return t;
}

dictionary model_reduce_rows(const monoid& add, const dictionary& a) {
    dictionary t{a.rows, 1, add.value_type(a.type), {}};
    for (const auto& [at, x] : a.entries) {
        const element y = cast(x, a.type, t.type);
        const auto sum = t.entries.find({at.first, 0});
        if (sum == t.entries.end())
            t.entries[{at.first, 0}] = y;
        else
            sum->second = compute(add.op(), sum->second, t.type, y, t.type);
    }
    return t;
}

dictionary model_extract(const dictionary& a, const std::vector<index_t>& rows,
                         const std::vector<index_t>& columns) {
    dictionary t{static_cast<index_t>(rows.size()), static_cast<index_t>(columns.size()), a.type, {}};
    for (index_t k = 0; k < t.rows; ++k)
        for (index_t l = 0; l < t.columns; ++l)
            if (const auto x = a.entries.find({rows[k], columns[l]}); x != a.entries.end())
                t.entries[{k, l}] = x->second;
    return t;
}

dictionary model_kronecker(const binary_op& op, const dictionary& a, const dictionary& b) {
    dictionary t{a.rows * b.rows, a.columns * b.columns, result_type(op, a.type, b.type), {}};
    for (const auto& [ij, x] : a.entries)
        for (const auto& [kl, y] : b.entries)
            t.entries[{ij.first * b.rows + kl.first, ij.second * b.columns + kl.second}] =
                op.positional() ? placed(op, t.type, ij, kl) : compute(op, x, a.type, y, b.type);
    return t;
}

dictionary model_assign(const dictionary& c, const dictionary& a, const std::vector<index_t>& rows,
                        const std::vector<index_t>& columns, const writing& how) {
    // One assignment after the other, so that the last one of a place wins.
    std::map<place, std::optional<element>> assigned;
    for (std::size_t k = 0; k < rows.size(); ++k)
        for (std::size_t l = 0; l < columns.size(); ++l) {
            const auto x = a.entries.find({static_cast<index_t>(k), static_cast<index_t>(l)});
            assigned[{rows[k], columns[l]}] = x == a.entries.end() ? std::nullopt : std::optional(x->second);
        }
    dictionary z = c;
    for (const auto& [at, x] : assigned) {
        const auto old = c.entries.find(at);
        if (how.accum && x && old != c.entries.end())
            z.entries[at] = cast(compute(*how.accum, old->second, c.type, *x, a.type),
                                 result_type(*how.accum, c.type, a.type), c.type);
        else if (x)
            z.entries[at] = cast(*x, a.type, c.type);
        else if (!how.accum)
            z.entries.erase(at);
    }
    writing plain = how;
    plain.accum.reset();
    return write(c, z, plain);
}

std::string show(element x, dtype type) {
    return dispatch(type,
                    [&]<class T>(std::type_identity<T>) { return fmt::format("{}", from_element<T>(x)); });
}

std::string difference(const dictionary& expected, const dictionary& found) {
    if (expected.rows != found.rows || expected.columns != found.columns || expected.type != found.type)
        return fmt::format("expected {} x {} {}, found {} x {} {}", expected.rows, expected.columns,
                           name_of(expected.type), found.rows, found.columns, name_of(found.type));
    for (const auto& [at, x] : expected.entries) {
        const auto y = found.entries.find(at);
        if (y == found.entries.end())
            return fmt::format("({}, {}) is absent, expected {}", at.first, at.second,
                               show(x, expected.type));
        const std::string wanted = show(x, expected.type), got = show(y->second, found.type);
        const bool nan = wanted.ends_with("nan") && got.ends_with("nan");
        if (x != y->second && !nan)
            return fmt::format("({}, {}) is {}, expected {}", at.first, at.second, got, wanted);
    }
    for (const auto& [at, x] : found.entries)
        if (!expected.entries.contains(at))
            return fmt::format("({}, {}) is {}, expected absent", at.first, at.second, show(x, found.type));
    return {};
}

}  // namespace nz::test
