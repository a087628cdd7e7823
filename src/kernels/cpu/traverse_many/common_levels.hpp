// Levels of 64 searches, kept as binary digits: bit s of digit k of vertex v is bit k of v's level in search s, counted
// from the last time that levels were written. A find sets the digits of one number for all its sources at once, and
// levels leave 64 vertices x 64 sources at a time through a transposed square of bits.
#pragma once

#include "core/bits.hpp"
#include "kernels/traverse_many_arguments.hpp"

namespace nz::kernels::cpu::many {

class level_digits {
public:
    /// `digits`: [plan::level_digits][vertices].
    level_digits(bits::word* digits, const traverse_many_arguments& a) : digits_(digits), a_(a) {}

    /// Before the finds of a level: numbers it, and clears the digit that it is the first to use.
    void begin_level(int threads);
    /// A find on this level: vertex v by the sources in `found`.
    void set(offset_t v, bits::word found) const {
        for (std::uint32_t left = number_; left; left &= left - 1)
            digits_[offset_t{a_.vertices} * std::countr_zero(left) + v] |= found;
    }
    bool full() const { return number_ == plan::levels_a_flush; }
    /// Writes the levels set since the last time; the first time -1 where `seen` has no bit.
    void write(const bits::word* seen, int threads);

private:
    struct square;
    void read(square& q, const bits::word* seen, offset_t first, offset_t count) const;
    void write_all(const square& q, std::size_t s, offset_t first, offset_t count) const;
    void write_found(const square& q, std::size_t s, offset_t first) const;

    bits::word* digits_;
    const traverse_many_arguments& a_;
    std::uint32_t number_ = 0;
    std::int32_t base_ = 0;
    bool first_ = true;
};

}  // namespace nz::kernels::cpu::many
