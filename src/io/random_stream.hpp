// Random numbers that depend on a seed and a position alone, so that any thread may draw any of them.
#pragma once

#include <cstdint>

namespace nz::io {

/// Mixes all 64 bits into each other; a bijection.
constexpr std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 27)) * 0x3c79ac492ba7b653u;
    x = (x ^ (x >> 33)) * 0x1c69b3f74ac4ae35u;
    return x ^ (x >> 27);
}

/// The numbers of one sample, row or vertex: those of (seed, purpose, id) are independent of all others.
class random_stream {
public:
    constexpr random_stream(std::uint64_t key, std::uint64_t id) : state_(mix(key ^ mix(id + step))) {}

    constexpr std::uint64_t bits() { return mix(state_ += step); }
    /// Uniform in [0, 1).
    constexpr double real() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    /// Uniform in [0, n).
    constexpr std::uint64_t below(std::uint64_t n) {
        return static_cast<std::uint64_t>(static_cast<unsigned __int128>(bits()) * n >> 64);
    }

private:
    static constexpr std::uint64_t step = 0x9e3779b97f4a7c15u;  // odd: the state visits all 2^64 values
    std::uint64_t state_;
};

/// What random numbers are for; each purpose has its own under one seed.
enum class purpose : std::uint64_t { edges = 1, vertices, dropping, lengths, columns, values, weights };

constexpr std::uint64_t key_of(std::uint64_t seed, purpose p) {
    return mix(mix(seed + 1) + static_cast<std::uint64_t>(p));
}

}  // namespace nz::io
