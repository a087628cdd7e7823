#include "ops/gpu_operands.hpp"

#include "core/device.hpp"
#include "core/parallel.hpp"
#include "inputs.hpp"
#include "storage/matrix_body.hpp"

#include <fmt/format.h>

#include <limits>

namespace nz::bench {
namespace {

template <class T>
std::shared_ptr<std::vector<T>> values_upto(int threads, offset_t count) {
    auto values = std::make_shared<std::vector<T>>(static_cast<std::size_t>(count));
    parallel::for_pieces(threads, count, [&](offset_t begin, offset_t end) {
        for (offset_t k = begin; k < end; ++k)
            (*values)[static_cast<std::size_t>(k)] = static_cast<T>(value_at(k));
    });
    return values;
}

template <class T>
operands make(const context& gpu, const structure& s) {
    const auto n = static_cast<offset_t>(s.indices.size());
    const auto values = values_upto<T>(gpu.threads(), n), x = values_upto<T>(gpu.threads(), s.a.columns());
    const csr_view<T> view{static_cast<index_t>(s.a.rows()), static_cast<index_t>(s.a.columns()), s.offsets,
                           s.indices, *values};
    operands o{dtype_of<T>,
               values,
               matrix::borrow_csr<T>(gpu, view),
               vector::dense<T>(gpu, *x),
               {s.a.rows(), s.a.columns(), n, dtype_of<T>},
               {}};
    device::session& session = *gpu.gpu();
    const auto upload = [&](const void* from, std::size_t bytes) {
        const buffer& block = o.blocks.emplace_back(gpu.device_memory(), std::max<std::size_t>(bytes, 1));
        if (from)
            session.upload(block.data(), from, bytes);
        else
            session.fill(block.data(), 0xff, bytes);
        return block.data();
    };
    o.on_device.offsets = upload(s.offsets.data(), s.offsets.size_bytes());
    o.on_device.indices = upload(s.indices.data(), s.indices.size_bytes());
    o.on_device.values = upload(values->data(), values->size() * sizeof(T));
    o.on_device.x = upload(x->data(), x->size() * sizeof(T));
    o.on_device.y = upload(nullptr, static_cast<std::size_t>(s.a.rows()) * sizeof(T));
    session.wait();
    return o;
}

double epsilon(dtype type) {
    return type == dtype::float64 ? std::numeric_limits<double>::epsilon()
                                  : static_cast<double>(std::numeric_limits<float>::epsilon());
}

// Any order of summation: the error of a sum of positive terms is at most their number roundings of it.
void expect_row(const structure& s, dtype type, std::size_t i, double found, const std::string& name) {
    const double bound = epsilon(type) * (s.offsets[i + 1] - s.offsets[i] + 2) * s.expected[i];
    if (!(std::abs(found - s.expected[i]) <= bound))
        throw error(fmt::format("{} by {}: row {} is {}, not {}", s.name, name, i, found, s.expected[i]));
}

}  // namespace

structure make_structure(const context& cpu, const std::string& source) {
    structure s{input_name(source), load_structure(cpu, source), {}, {}, {}};
    const storage::csr& rows = s.a.body().rows();
    if (rows.offset_bytes != 4)
        throw not_supported(
            fmt::format("{} has {} entries: the suite takes 32-bit offsets", source, rows.nnz));
    s.offsets = {rows.offsets.as<const std::int32_t>(), static_cast<std::size_t>(rows.rows) + 1};
    s.indices = {rows.index_data(), static_cast<std::size_t>(rows.nnz)};
    s.expected.assign(static_cast<std::size_t>(rows.rows), 0);
    parallel::for_chunks(cpu.threads(), rows.rows, 4096, [&](offset_t begin, offset_t end) {
        for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i)
            for (auto k = s.offsets[i]; k < s.offsets[i + 1]; ++k)
                s.expected[i] += value_at(k) * value_at(s.indices[static_cast<std::size_t>(k)]);
    });
    return s;
}

operands make_operands(const context& gpu, const structure& s, dtype type) {
    return type == dtype::float64 ? make<double>(gpu, s) : make<float>(gpu, s);
}

void expect_product(const structure& s, dtype type, const vector& y, const std::string& name) {
    std::vector<index_t> places;
    std::vector<double> values, all(s.expected.size(), 0);
    if (y.type() == dtype::float32) {
        std::vector<float> narrow;
        y.extract_tuples(places, narrow);
        values.assign(narrow.begin(), narrow.end());
    } else {
        y.extract_tuples(places, values);
    }
    for (std::size_t k = 0; k < places.size(); ++k) all[static_cast<std::size_t>(places[k])] = values[k];
    for (std::size_t i = 0; i < all.size(); ++i) expect_row(s, type, i, all[i], name);
}

void expect_device_product(const context& gpu, const structure& s, const operands& o,
                           const std::string& name) {
    device::session& session = *gpu.gpu();
    const auto compare = [&]<class T>(std::type_identity<T>) {
        std::vector<T> y(s.expected.size());
        session.download(y.data(), o.on_device.y, y.size() * sizeof(T));
        session.fill(o.on_device.y, 0xff, y.size() * sizeof(T));
        for (std::size_t i = 0; i < y.size(); ++i) expect_row(s, o.type, i, static_cast<double>(y[i]), name);
    };
    if (o.type == dtype::float64)
        compare(std::type_identity<double>{});
    else
        compare(std::type_identity<float>{});
}

}  // namespace nz::bench
