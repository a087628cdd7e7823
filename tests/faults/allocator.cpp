// An allocator that fails at its n-th call, for every n until a whole scenario succeeds: each failure is an
// out_of_memory, every object stays valid, and nothing leaks.
#include "core/checks.hpp"
#include "support/small.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <numeric>

namespace nz::test {
namespace {

class failing_memory final : public memory_resource {
public:
    void* allocate(std::size_t bytes) override {
        if (++calls_ == fail_at_)
            fail<out_of_memory>("{} bytes refused by the test at call {}", bytes, fail_at_);
        void* pointer = upstream_->allocate(bytes);
        alive_ += bytes;
        return pointer;
    }
    void deallocate(void* pointer, std::size_t bytes) noexcept override {
        alive_ -= bytes;
        upstream_->deallocate(pointer, bytes);
    }
    void arm(int fail_at) {
        calls_ = 0;
        fail_at_ = fail_at;
    }
    std::size_t alive() const { return alive_; }

private:
    std::shared_ptr<memory_resource> upstream_ = host_memory();
    std::atomic<int> calls_ = 0;
    int fail_at_ = 0;
    std::atomic<std::size_t> alive_ = 0;
};

struct objects {
    matrix a, b, c;
    vector u, w;
};
using scenario = std::function<void(const context&, objects&)>;

objects fresh(const context& ctx) {
    return {matrix_of<double>(ctx, 3, 3, {{0, 0, 1}, {0, 2, 2}, {1, 1, 3}, {2, 0, 4}}),
            matrix_of<double>(ctx, 3, 3, {{0, 1, 5}, {2, 2, 6}}),
            matrix_of<double>(ctx, 3, 3, {{1, 0, 7}, {2, 2, 8}}),
            vector_of<double>(ctx, 100, {{0, 1}, {50, 2}}), vector_of<double>(ctx, 100, {{50, 3}, {99, 4}})};
}

void run_until_it_succeeds(const scenario& run) {
    const auto memory = std::make_shared<failing_memory>();
    context_options options;
    options.memory = memory;
    options.threads = 2;
    bool done = false;
    for (int n = 1; !done; ++n) {
        ASSERT_LT(n, 2000) << "it never succeeds";
        const context ctx(options);
        {
            memory->arm(0);
            objects o = fresh(ctx);
            memory->arm(n);
            try {
                run(ctx, o);
                done = true;
            } catch (const out_of_memory&) {
            }
            memory->arm(0);
            for (const matrix* a : {&o.a, &o.b, &o.c}) ASSERT_NO_THROW(a->validate()) << "call " << n;
            for (const vector* v : {&o.u, &o.w}) ASSERT_NO_THROW(v->validate()) << "call " << n;
            if (!done) {
                ASSERT_NO_THROW(run(ctx, o)) << "a second try after call " << n << " failed";
            }
        }
        ASSERT_EQ(ctx.bytes_in_use(), 0u) << "call " << n;
        ASSERT_EQ(memory->alive(), 0u) << "call " << n;
    }
}

TEST(FailingAllocator, LeavesObjectsValidInMatrixOperations) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        mxm(ctx, o.c, semiring("plus_times"), o.a, o.b,
            {.mask = &o.b, .mask_complement = true, .accum = binary_id::plus});
        mxm(ctx, o.c, semiring("plus_times"), o.a, o.a, {.kernel = "reference"});
        ewise_add(ctx, o.c, binary_id::plus, o.c, o.b, {.mask = &o.c, .replace = true, .transpose_b = true});
        apply(ctx, o.b, unary_id::ainv, o.b);
        select(ctx, o.b, index_unary_id::triu, o.b, scalar(0));
        transpose(ctx, o.a, o.a);
        kronecker(ctx, o.c, binary_id::times, matrix_of<double>(ctx, 1, 1, {{0, 0, 2}}), o.c);
        const std::vector<index_t> two{2, 0};
        extract(ctx, o.c, o.c, index_list::all(), index_list::all());
        assign(ctx, o.c, scalar(1.0), index_list(two), index_list(two), {.accum = binary_id::plus});
        assign_row(ctx, o.c, vector::full(ctx, 3, scalar(1)), 1, index_list::all());
    });
}

// Where one finds no room it goes on by the generic path, so that what it does first is tried with each of them in turn.
TEST(FailingAllocator, LeavesObjectsValidInComposedProducts) {
    const auto full = [](const context& ctx) {
        std::vector<index_t> i, j;
        std::vector<double> x;
        for (index_t k = 0; k < 40000; k += 7) i.push_back(k / 400), j.push_back(k % 400 / 4), x.push_back(k);
        return matrix::build<double>(ctx, {100, 100, i, j, x});
    };
    run_until_it_succeeds([&](const context& ctx, objects& o) {
        mxv(ctx, o.u, semiring("plus_min"), full(ctx), o.w, {.accum = binary_id::max});
    });
    run_until_it_succeeds([&](const context& ctx, objects& o) {
        const matrix a = full(ctx);
        matrix c(ctx, dtype::float32, 100, 100);
        mxm(ctx, c, semiring("max_times"), a, a, {.mask = &a});
        o.c = c;
    });
}

TEST(FailingAllocator, LeavesObjectsValidInReordering) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        for (const ordering how : {ordering::reverse_cuthill_mckee, ordering::degree, ordering::cluster}) {
            const vector by = order(ctx, o.b, how);
            o.a = permute(ctx, o.a, by);
            restore(ctx, permute(ctx, by, inverse(ctx, by)), by);
        }
        restore(ctx, o.u, order(ctx, matrix(ctx, dtype::int8, 100, 100), ordering::degree));
    });
}

// Two triangles with a bridge between, a path of three more, and one vertex alone.
matrix two_triangles(const context& ctx, bool both) {
    std::vector<index_t> i{0, 1, 2, 3, 4, 5, 2, 5, 6, 7}, j{1, 2, 0, 4, 5, 3, 3, 6, 7, 8};
    const auto edges = i.size();
    for (std::size_t k = 0; both && k < edges; ++k) i.push_back(j[k]), j.push_back(i[k]);
    return matrix::build<double>(ctx, {10, 10, i, j, std::vector<double>(i.size(), 1.0)});
}

TEST(FailingAllocator, LeavesObjectsValidInAlgorithms) {
    const auto on_edges = [](bool both, const std::function<void(const context&, const matrix&)>& run) {
        run_until_it_succeeds([&](const context& ctx, objects&) { run(ctx, two_triangles(ctx, both)); });
    };
    on_edges(true, [](const context& ctx, const matrix& a) { label_propagation(ctx, a); });
    on_edges(false, [](const context& ctx, const matrix& a) { label_propagation(ctx, a); });
    on_edges(true, [](const context& ctx, const matrix& a) { cores(ctx, a); });
    on_edges(true, [](const context& ctx, const matrix& a) { colouring(ctx, a); });
    on_edges(true, [](const context& ctx, const matrix& a) { matching(ctx, a); });
    on_edges(true, [](const context& ctx, const matrix& a) { markov_clustering(ctx, a); });
    on_edges(true,
             [](const context& ctx, const matrix& a) { closeness(ctx, a, std::vector<offset_t>{0, 4}); });
    on_edges(false, [](const context& ctx, const matrix& a) { strong_components(ctx, a); });
    on_edges(false, [](const context& ctx, const matrix& a) {
        strong_components(ctx, a, {.trim = false, .searches = 0});
    });
}

TEST(FailingAllocator, LeavesObjectsValidInVectorOperations) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        ewise_add(ctx, o.w, binary_id::plus, o.u, o.w, {.mask = &o.u});
        o.w.convert_to(vector_form::bitmap);
        const vector shared = o.w;
        apply(ctx, o.w, unary_id::ainv, o.u, {.accum = binary_id::min});
        assign(ctx, o.w, scalar(3), index_list::all(), {.mask = &o.u, .mask_complement = true});
        ewise_mult(ctx, o.w, binary_id::times, o.w, o.u);
        select(ctx, o.w, index_unary_id::rowle, o.w, scalar(40));
    });
}

// One operation each: where it fails the output has the entries that it had, whatever form they would have taken.
TEST(FailingAllocator, LeavesTheOutputVectorAsItWas) {
    const std::vector<index_t> few{3, 50};
    const std::function<void(const context&, vector&, const vector&)> operations[] = {
        [](const context& ctx, vector& w, const vector& u) {
            apply(ctx, w, unary_id::ainv, u, {.mask = &u, .replace = true});
        },
        [](const context& ctx, vector& w, const vector& u) {
            apply(ctx, w, unary_id::ainv, u, {.accum = binary_id::plus});
        },
        [&](const context& ctx, vector& w, const vector&) {
            assign(ctx, w, scalar(3), index_list(few),
                   {.mask = &w, .mask_complement = true, .replace = true});
        },
        [](const context& ctx, vector& w, const vector& u) {
            ewise_mult(ctx, w, binary_id::times, w, u, {.mask = &u, .mask_structure = true});
        }};
    const auto entries = [](const vector& v) {
        std::vector<index_t> places;
        std::vector<double> values;
        v.extract_tuples(places, values);
        return std::pair(places, values);
    };
    for (const auto& operation : operations)
        for (const vector_form form : {vector_form::sparse, vector_form::bitmap}) {
            const auto memory = std::make_shared<failing_memory>();
            context_options options;
            options.memory = memory;
            options.threads = 2;
            const context ctx(options);
            const objects o = fresh(ctx);
            bool done = false;
            for (int n = 1; !done; ++n) {
                memory->arm(0);
                vector w = vector_of<double>(ctx, 100, {{1, 1}, {2, 2}, {3, 3}, {50, 4}, {98, 5}, {99, 6}});
                w.convert_to(form);
                const auto before = entries(w);
                memory->arm(n);
                try {
                    operation(ctx, w, o.u);
                    done = true;
                } catch (const out_of_memory&) {
                    memory->arm(0);
                    EXPECT_EQ(entries(w), before) << "call " << n;
                }
                memory->arm(0);
                ASSERT_NO_THROW(w.validate()) << "call " << n;
                ASSERT_LT(n, 200);
            }
        }
}

// A caller's operator may throw at any entry.
TEST(FailingOperator, LeavesTheOutputVectorAsItWas) {
    struct refused {};
    const auto op = binary_op::make<double>("refuses 50", [](double x, double y) {
        if (x == 50) throw refused();
        return x + y;
    });
    for (const int threads : {1, 3}) {
        const context ctx({.backend = backend::cpu, .threads = threads});
        std::vector<double> values(100);
        for (std::size_t k = 0; k < values.size(); ++k) values[k] = static_cast<double>(k);
        vector w = vector::dense<double>(ctx, values);
        const vector u = vector::full(ctx, 100, scalar(1.0));
        EXPECT_THROW(apply(ctx, w, unary_id::identity, u, {.accum = op}), refused);
        const auto after = w.values<double>();
        EXPECT_TRUE(std::ranges::equal(after, values));
    }
}

TEST(FailingAllocator, LeavesObjectsValidAndArraysUntouchedInDenseProducts) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        const std::vector<float> b(9, 2);
        const dense_view<const float> in{3, 3, b, dense_order::column_major};
        for (const std::string_view kernel : {"csr_tiled", "csr_merge", "reference"}) {
            std::vector<double> c(9, 5);
            try {
                mxd(ctx, dense_view<double>{3, 3, c}, semiring("plus_times"), o.a, in,
                    {.accum = binary_id::minus, .transpose_a = true, .kernel = kernel});
            } catch (const out_of_memory&) {
                EXPECT_EQ(c, std::vector<double>(9, 5)) << kernel;
                throw;
            }
            sddmm(ctx, o.c, semiring("plus_times"), in, in, o.b,
                  {.accum = binary_id::plus, .kernel = kernel == "reference" ? kernel : std::string_view()});
        }
    });
}

TEST(FailingAllocator, LeavesObjectsValidInProductsOfDiagonals) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        const semiring s("plus_times");
        const dia_matrix a = dia_matrix::from_matrix(ctx, o.a);
        dia_matrix c = a, d = a;
        try {
            mxm(ctx, c, s, a, a.in(ctx, dtype::int32));
            mxm(ctx, d, semiring("max_minus_int16"), a, a);
        } catch (const out_of_memory&) {
            EXPECT_TRUE(&c.body() == &a.body() || c.diagonals() > 0);
            throw;
        }
        o.c = c.to_matrix(ctx);
    });
}

TEST(FailingAllocator, LeavesObjectsValidWhenTheyChange) {
    run_until_it_succeeds([](const context& ctx, objects& o) {
        const matrix copy = o.a;
        o.a.set(1, 2, 9.0);
        o.a.remove(0, 0);
        EXPECT_GT(o.a.nnz(), 0);
        o.b.resize(5, 5);
        o.b.resize(3, 3);
        o.a.facts();
        o.u.set(7, 1.0);
        o.u.remove(7);
        o.u.resize(120);
        o.u.resize(100);
        o.w.convert_to(vector_form::bitmap);
        vector full = vector::full(ctx, 10, scalar(1));
        full.remove(3);
        o.c.clear();
    });
}

// Of a vector too long for a bitmap, whose entries move for each that comes.
TEST(FailingAllocator, LeavesALongVectorAsItWas) {
    const auto memory = std::make_shared<failing_memory>();
    context_options options;
    options.memory = memory;
    const context ctx(options);
    const std::vector<index_t> at{10, 20, 30};
    const std::vector<double> x{1, 2, 3};
    for (int n = 1; n < 4; ++n) {
        vector v = vector::build<double>(ctx, 100'000'000, at, x);
        memory->arm(n);
        try {
            v.set(15, scalar(9.0));
            EXPECT_EQ(n, 3) << "two arrays are made";
        } catch (const out_of_memory&) {
            EXPECT_FALSE(v.contains(15));
        }
        memory->arm(0);
        for (std::size_t k = 0; k < at.size(); ++k) EXPECT_EQ(v.get(at[k]), scalar(x[k])) << "call " << n;
        v.validate();
        v.set(15, scalar(9.0));
        EXPECT_EQ(v.count(), 4);
    }
}

TEST(MemoryLimit, IsKeptAndNamed) {
    context_options options;
    options.memory_limit = 10000;
    const context ctx(options);
    try {
        vector::full(ctx, 2000, scalar(1.0));
        FAIL() << "16000 bytes fitted into 10000";
    } catch (const out_of_memory& e) {
        EXPECT_NE(std::string(e.what()).find("16000"), std::string::npos) << e.what();
        EXPECT_NE(std::string(e.what()).find("10000"), std::string::npos) << e.what();
    }
    EXPECT_NO_THROW(vector::full(ctx, 1000, scalar(1.0)));
    EXPECT_EQ(ctx.bytes_in_use(), 0u);
    EXPECT_GE(ctx.peak_bytes(), 8000u);
}

// A path walked over from its first vertex: numbers, two stacks of vertices and one of places.
TEST(MemoryLimit, CountsWhatAWalkOverAGraphHolds) {
    constexpr index_t n = 20000;
    std::vector<index_t> from(n - 1), to(n - 1);
    std::iota(from.begin(), from.end(), 0);
    std::iota(to.begin(), to.end(), 1);
    const auto walked = [&](std::size_t limit) {
        const context ctx({.backend = backend::cpu, .memory_limit = limit});
        const matrix path = matrix::build<double>(ctx, {n, n, from, to, std::vector<double>(n - 1, 1.0)});
        const std::size_t before = ctx.bytes_in_use();
        strong_components(ctx, path, {.trim = false, .searches = 0});
        return std::pair(before, ctx.peak_bytes());
    };
    const auto [graph, peak] = walked(0);
    EXPECT_GE(peak - graph, 28u * n);
    EXPECT_THROW(walked(graph + 24 * n), out_of_memory);
}

TEST(HostMemory, KeepsTheBlocksGivenBackLast) {
    const auto memory = host_memory();
    constexpr std::size_t all_that_is_kept = std::size_t{2} << 30, block = std::size_t{5} << 20;
    void* old[2] = {memory->allocate(all_that_is_kept / 2), memory->allocate(all_that_is_kept / 2)};
    for (void* pointer : old) memory->deallocate(pointer, all_that_is_kept / 2);
    auto* used = static_cast<unsigned char*>(memory->allocate(block));
    std::fill_n(used, block, static_cast<unsigned char>(7));
    memory->deallocate(used, block);
    auto* again = static_cast<unsigned char*>(memory->allocate(block));
    EXPECT_EQ(again[block / 2], 7)
        << "fresh pages are 0: those that nobody asks for any more were kept instead";
    memory->deallocate(again, block);
}

}  // namespace
}  // namespace nz::test
