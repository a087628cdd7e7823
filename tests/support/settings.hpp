// Runs one operation under every way of writing its result: masks x accumulators x replace x aliasing.
#pragma once

#include "support/compare.hpp"
#include "support/model.hpp"

#include <gtest/gtest.h>

#include <functional>

namespace nz::test {

inline constexpr dtype all_types[] = {dtype::boolean, dtype::int8,    dtype::int16,  dtype::int32,
                                      dtype::int64,   dtype::uint8,   dtype::uint16, dtype::uint32,
                                      dtype::uint64,  dtype::float32, dtype::float64};
/// Whether sums of values of this type, of the tests' own, show in which order they were added: quotients, and long products.
inline bool shows_order(const semiring& s, dtype value) {
    const binary_id add = s.add().id(), multiply = s.multiply().id();
    const bool quotients = multiply == binary_id::div || multiply == binary_id::rdiv;
    return is_floating(value) && (add == binary_id::times || (add == binary_id::plus && quotients));
}
inline dtype any_type(std::mt19937& random) { return all_types[random() % std::size(all_types)]; }

enum class mask_kind { none, structure, value };

struct setting {
    mask_kind mask;
    bool complement, replace;
    std::optional<binary_id> accum;

    std::string name() const {
        return std::string(mask == mask_kind::none        ? "no mask"
                           : mask == mask_kind::structure ? "structural mask"
                                                          : "value mask") +
               (complement ? ", complement" : "") + (replace ? ", replace" : "") +
               (accum ? ", accum " + std::string(binary_op(*accum).name()) : "");
    }
};

/// Every combination; `minus` tells an accumulator's operands apart.
inline std::vector<setting> all_settings() {
    std::vector<setting> all;
    for (const mask_kind mask : {mask_kind::none, mask_kind::structure, mask_kind::value})
        for (const bool complement : {false, true})
            for (const bool replace : {false, true})
                for (const std::optional<binary_id> accum :
                     {std::optional<binary_id>(), std::optional(binary_id::minus),
                      std::optional(binary_id::lt)})
                    all.push_back({mask, complement, replace, accum});
    return all;
}

/// What the output must be, from its old content and the mask.
using expectation = std::function<dictionary(const dictionary& c, const writing& how)>;
/// What is expected where T is t, which must outlive it.
inline expectation written(const dictionary& t) {
    return [&t](const dictionary& c, const writing& how) { return write(c, t, how); };
}

template <class Object>
operation_options<Object> options_of(const setting& s, const Object& mask) {
    operation_options<Object> options;
    if (s.mask != mask_kind::none) options.mask = &mask;
    options.mask_structure = s.mask == mask_kind::structure;
    options.mask_complement = s.complement;
    options.replace = s.replace;
    if (s.accum) options.accum = *s.accum;
    return options;
}
inline writing writing_of(const setting& s, const dictionary& mask) {
    writing how{s.mask == mask_kind::none ? nullptr : &mask,
                s.mask == mask_kind::structure,
                s.complement,
                s.replace,
                {}};
    if (s.accum) how.accum = *s.accum;
    return how;
}

/// Calls run(output, options) in every setting, on outputs of `rows` x `columns` and `type`; then with the
/// output as its own mask.
template <class Object>
void check_settings(const context& ctx, index_t rows, index_t columns, dtype type, std::mt19937& random,
                    const expectation& expected,
                    const std::function<void(Object&, const operation_options<Object>&)>& run) {
    for (const setting& s : all_settings()) {
        const dictionary c = random_dictionary(rows, columns, 0.4, type, random);
        const dictionary m = random_dictionary(rows, columns, 0.5, any_type(random), random);
        const Object mask = make<Object>(ctx, m, random);
        Object out = make<Object>(ctx, c, random);
        const Object shared = out;
        run(out, options_of(s, mask));
        ASSERT_TRUE(same(expected(c, writing_of(s, m)), out)) << s.name();
        ASSERT_TRUE(same(c, shared)) << s.name() << ": a copy of the output changed";
        Object own = make<Object>(ctx, c, random);
        run(own, options_of(s, own));
        ASSERT_TRUE(same(expected(c, writing_of(s, c)), own)) << s.name() << ", the output is its own mask";
    }
}

/// The same with the output aliasing an input whose content is `input`: run(output which is also the input,
/// options).
template <class Object>
void check_aliased(const context& ctx, const dictionary& input, std::mt19937& random,
                   const expectation& expected,
                   const std::function<void(Object&, const operation_options<Object>&)>& run) {
    for (const setting& s : all_settings()) {
        const dictionary m = random_dictionary(input.rows, input.columns, 0.5, any_type(random), random);
        const Object mask = make<Object>(ctx, m, random);
        Object out = make<Object>(ctx, input, random);
        run(out, options_of(s, mask));
        ASSERT_TRUE(same(expected(input, writing_of(s, m)), out)) << s.name() << ", the output is an input";
        Object all = make<Object>(ctx, input, random);
        run(all, options_of(s, all));
        ASSERT_TRUE(same(expected(input, writing_of(s, input)), all))
            << s.name() << ", output, input and mask are one";
    }
}

}  // namespace nz::test
