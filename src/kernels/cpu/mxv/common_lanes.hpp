// Short runs of products summed without a branch on their length: rows of few entries whose lengths vary cost a
// mispredicted branch each in any loop (20 cycles, five products' worth), and compilers turn `k < length ? s + p : s` into
// just that branch. A vector's comparison and selection are never branches.
// Vector types of the compiler (GCC, Clang), not intrinsics: one source for every width that a machine has. None is wider
// than a register: compilers take wider ones apart through memory, and a load of what several narrow stores have just
// written waits for them (three times the time of a whole product).
#pragma once

#include "algebra/before_first.hpp"
#include "core/registers.hpp"
#include "nonzero/types.hpp"

#include <algorithm>
#include <utility>

namespace nz::kernels::cpu {

/// Whether sums of this cell can be padded: the monoid has a value that leaves a sum as it is, and the type has vectors.
template <class Cell>
inline constexpr bool pads = !Cell::first_wins && !std::is_same_v<typename Cell::value, bool>;

/// `Lanes` values side by side, in as many registers as they take, and how to pad and to sum them.
template <class Cell, int Lanes>
class lane_sum {
    using V = typename Cell::value;
    using number =
        std::conditional_t<sizeof(V) == 8, std::int64_t,
                           std::conditional_t<sizeof(V) == 4, std::int32_t,
                                              std::conditional_t<sizeof(V) == 2, std::int16_t, std::int8_t>>>;
    template <class T, int Width>
    struct vector_of {
        typedef T type __attribute__((vector_size(Width * sizeof(T))));
    };
    template <class T, int Width>
    using vec = typename vector_of<T, Width>::type;

    static constexpr int width = std::min<int>(Lanes, register_bytes / sizeof(V)), count = Lanes / width;
    using piece = vec<V, width>;
    // Copied by memcpy, a piece would come in narrower ones, by way of memory.
    typedef V anywhere __attribute__((vector_size(width * sizeof(V)), aligned(alignof(V)), may_alias));

public:
    struct values {
        piece of[count];
    };

    /// The lanes from the first on.
    template <class... T>
    static values from(T... lane) {
        static_assert(sizeof...(T) == Lanes);
        const V all[] = {lane...};
        values v;
        for (int p = 0; p < count; ++p)
            v.of[p] = gather(all + p * width, std::make_integer_sequence<int, width>());
        return v;
    }
    /// The first `length` as they are, behind them what leaves a sum as it is.
    static values padded(values v, offset_t length) {
        constexpr auto lanes = std::make_integer_sequence<int, width>();
        const auto held = static_cast<int>(std::min<offset_t>(length, Lanes));
        for (int p = 0; p < count; ++p)
            v.of[p] = numbers(lanes) < static_cast<number>(held - p * width) ? v.of[p] : neutral(lanes);
        return v;
    }
    static V total(values v) {
        for (int half = count / 2; half; half /= 2)
            for (int p = 0; p < half; ++p) v.of[p] = add<width>(v.of[p], v.of[p + half]);
        return folded<width>(v.of[0]);
    }
    /// p(0) + ... + p(length - 1), length >= 1, in an order that follows from `length` alone; p can be read up to the
    /// next multiple of Lanes.
    [[gnu::always_inline]] static V of(const V* p, offset_t length) {
        values sum = padded(loaded(p), length);
        offset_t k = Lanes;
        const auto plus = [&](values next) {
            for (int q = 0; q < count; ++q) sum.of[q] = add<width>(sum.of[q], next.of[q]);
        };
        for (; k + Lanes <= length; k += Lanes) plus(loaded(p + k));
        if (k < length) plus(padded(loaded(p + k), length - k));
        return total(sum);
    }

private:
    template <int... J>
    static piece gather(const V* p, std::integer_sequence<int, J...>) {
        return piece{p[J]...};
    }
    template <int... J>
    static vec<number, width> numbers(std::integer_sequence<int, J...>) {
        return vec<number, width>{static_cast<number>(J)...};
    }
    // Lane by lane: a vector of zeros plus -0 would be one of zeros.
    template <int... J>
    static piece neutral(std::integer_sequence<int, J...>) {
        return piece{(static_cast<void>(J), algebra::before_first<Cell>())...};
    }
    static values loaded(const V* p) {
        values v;
        for (int q = 0; q < count; ++q) v.of[q] = *reinterpret_cast<const anywhere*>(p + q * width);
        return v;
    }

    /// Cell::add, lane by lane: what functors.hpp says of each operator, in vectors.
    template <int Width>
    static vec<V, Width> add(vec<V, Width> x, vec<V, Width> y) {
        constexpr bool floating = std::is_floating_point_v<V>;
        if constexpr (Cell::add_id == binary_id::plus && floating) {
            return x + y;
        } else if constexpr (Cell::add_id == binary_id::plus) {
            using wraps = vec<std::make_unsigned_t<V>, Width>;
            return reinterpret_cast<vec<V, Width>>(reinterpret_cast<wraps>(x) + reinterpret_cast<wraps>(y));
        } else if constexpr (Cell::add_id == binary_id::min && floating) {
            return ((y < x) | (x != x)) ? y : x;
        } else if constexpr (Cell::add_id == binary_id::min) {
            return y < x ? y : x;
        } else if constexpr (Cell::add_id == binary_id::max && floating) {
            return ((y > x) | (x != x)) ? y : x;
        } else if constexpr (Cell::add_id == binary_id::max) {
            return y > x ? y : x;
        } else {
            for (int j = 0; j < Width; ++j) x[j] = Cell::add(x[j], y[j]);
            return x;
        }
    }
    template <int Width>
    static V folded(vec<V, Width> v) {
        if constexpr (Width == 2)
            return Cell::add(v[0], v[1]);
        else
            return folded<Width / 2>(halves_added<Width>(v, std::make_integer_sequence<int, Width / 2>()));
    }
    template <int Width, int... J>
    static vec<V, Width / 2> halves_added(vec<V, Width> v, std::integer_sequence<int, J...>) {
        return add<Width / 2>(__builtin_shufflevector(v, v, J...),
                              __builtin_shufflevector(v, v, (J + Width / 2)...));
    }
};

}  // namespace nz::kernels::cpu
