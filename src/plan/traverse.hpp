// plan::traverse: which form of the loop runs, and the thresholds it runs with.
#pragma once

#include "plan/direction.hpp"
#include "plan/tile_phase.hpp"
#include "plan/workspace.hpp"
#include "storage/row_heads.hpp"

namespace nz::plan {

struct traverse_facts {
    offset_t vertices = 0;
    bool columns_ready = false;  ///< the transpose is at hand, or the matrix is symmetric
    bool change_direction = true;
    double alpha = -1, beta = -1;  ///< asked for; negative: the plan's own
    std::string_view pinned{};
    bool on_device = false;  ///< the context has a GPU
    int threads = 1;         ///< of a CPU
    offset_t nnz = 0;
    bool parents = true;
    bool scheduled = false;
    offset_t longest_row = 0;    ///< entries
    bool plain = true;           ///< masking, early exit, operand reuse and structure only: all on
    bool any_parent = false;     ///< or none
    bool tiles_serve = false;    ///< nothing is asked for that traverse/tile does not have
    offset_t searched = 0;       ///< edges that searches of this matrix went through before
    int tile_size = 0;           ///< asked for; 0: the plan chooses
    int tile_least = -1;         ///< asked for; negative: the plan's own
    bool tiles_sampled = false;  ///< the next five are there: a costly fact, asked for by a first plan
    double entries_a_word = 0;   ///< of tiles of 32: what one look at a word asks at once
    double tiles_a_row = 0;      ///< of tiles of 32 that hold entries
    std::size_t csr_bytes = 0;   ///< offsets and columns
    std::size_t tile_bytes_32 = 0, tile_bytes_64 = 0;  ///< expected with nothing extracted
};

/// Tiles with fewer entries than this are extracted on a CPU. On a GPU none is: what is looked at after the tiles lengthens
/// every level (a grid of 2,000 x 2,000: 14.7 ms with, 13.3 without).
constexpr int least_tile_entries = 2;
/// How many times the bytes of the CSR bit tiles may take, beyond a page, counted before very sparse tiles are extracted: the
/// entry of a scattered graph has a tile for itself, six times as dear, and extracted it is a COO entry that no word serves.
constexpr double most_tile_growth = 1.5;
constexpr std::size_t tiles_always_allowed = 4096;
/// On a CPU push_csc stays the cheaper one for longer than on the paper's GPUs: a thread unites the words of a tile's frontier
/// rows in one sweep, while push_csr asks every unvisited row on every level. At 0.3 searches of meshes take 2 to 5 times less
/// than at 0.01, of uniform graphs 3 times, of Kronecker graphs as long.
constexpr tile_thresholds tiles_on_cpu{0.3, 0.1, 1};
/// On a GPU a pull asks every tile row that is not done for every tile, where a push looks at the frontier's alone: on meshes
/// it never pays before a tenth of the vertices are in the frontier (100^3 points: 1.25 ms, 1.65 from 0.02, 4.5 always).
constexpr tile_thresholds tiles_on_gpu{0.1, 0.1, 1};

/// Bytes of traverse/tile: three bitmaps, three lists of words.
constexpr std::size_t tile_workspace(offset_t vertices, int size) {
    const auto words = static_cast<std::size_t>((vertices + size - 1) / size);
    return 3 * padded(words * static_cast<std::size_t>(size / 8)) + 3 * padded(words * sizeof(index_t));
}

/// On a GPU: four words and three places in queues (of 16 bytes) a tile row, and the counters.
constexpr std::size_t device_tile_workspace(offset_t vertices, int size) {
    const auto words = static_cast<std::size_t>((vertices + size - 1) / size);
    return padded(words * static_cast<std::size_t>(size / 2)) + 3 * padded(words * 16) + padded(512);
}

/// 64 or 32; 0 where both would take too much. (The paper takes 64 above 10,000 vertices.) A CPU's words of 64 bits cost as
/// much as those of 32 and are half as many; on a GPU a warp has 32 lanes for a word, and tiles of 32 take half the bytes.
constexpr int tile_size_for(const traverse_facts& f) noexcept {
    const auto fits = [&](std::size_t bytes) {
        return bytes <= tiles_always_allowed ||
               static_cast<double>(bytes) <= most_tile_growth * static_cast<double>(f.csr_bytes);
    };
    const bool large = !f.on_device;
    if (fits(large ? f.tile_bytes_64 : f.tile_bytes_32)) return large ? 64 : 32;
    if (fits(large ? f.tile_bytes_32 : f.tile_bytes_64)) return large ? 32 : 64;
    return 0;
}

/// Room in each of a GPU's two queues, in pieces of up to 128 edges: what every vertex and edge could fill. Where pull can step in, pieces past
/// what the rule may push mean that it does: so many rows, cut up, hold more vertices or edges than that. The thin step fills the least.
constexpr offset_t least_queue_on_device = 16384;
constexpr offset_t push_pull_fused_queue(offset_t vertices, offset_t nnz, bool pull_steps_in,
                                         const direction_thresholds& t) {
    const offset_t all = vertices + nnz / 128 + least_queue_on_device;
    if (!pull_steps_in) return all;
    const double most = static_cast<double>(vertices), share = t.alpha > t.beta ? t.alpha : t.beta,
                 rows = share * most < most ? share * most : most,
                 edges = t.edge_share * static_cast<double>(nnz) / 128;
    const double pushed = rows + edges + 2;
    if (!(pushed < static_cast<double>(all))) return all;
    return pushed > static_cast<double>(least_queue_on_device) ? static_cast<offset_t>(pushed)
                                                               : least_queue_on_device;
}

/// Bytes of the fused kernel on a GPU: counters, three bitmaps and a coarse one, two queues, with parents the vertices of their pieces.
constexpr std::size_t push_pull_fused_device_workspace(offset_t vertices, offset_t queue, bool parents) {
    const auto q = static_cast<std::size_t>(queue);
    const auto words = (static_cast<std::size_t>(vertices) + 31) / 32;
    return 512 + 3 * padded(words * 4) + padded(words * 2 + 16) + 2 * padded(q * 8) +
           (parents ? 2 * padded(q * 4) : 0);
}

/// With so many entries in an occupied row of a tile of 32, on average, a GPU's search over tiles is the faster one, and making
/// them takes less than a search does. Over push_pull_fused's time on 103 inputs (an H200, `nz bench regret`, three searches; levels, with the
/// smallest parents): from 1.75 on laplace3d with 20 to 100 points a side 0.39 to 0.51, 0.41 to 0.56, finite elements of 2,003 to 45,087 rows 0.17 to
/// 0.92, finan512 and delaunay_n15 0.52 and 0.77, and no other above 1.09 but whitaker3, whose rows are short (1.06 to 1.10); below that rows of eight entries or more (cage10 0.60, rgg_n_2_15_s0 0.82), and
/// of four in graphs of 32,768 vertices and more (bfly 0.86, laplace2d:300 0.99), while other grids and roads take 1.01 to 1.26, but with
/// parents 0.77 to 1.05 from 1.2 on. Larger graphs do not fit the blocks: laplace3d:125 and 160 (2.8) 0.84 and 0.95, laplace2d:1000 1.16.
constexpr double tile_entries_a_word = 2.75, tile_entries_a_word_of_held = 1.75,
                 tile_entries_a_word_of_short_rows = 2.25, tile_entries_a_word_of_long_rows = 1.45,
                 tile_entries_a_word_of_large = 1.35, tile_entries_a_word_for_parents = 1.2;
constexpr offset_t tile_mean_degree = 8, tile_mean_degree_of_short_rows = 6, tile_mean_degree_of_large = 4,
                   tiles_large_from = 32768;
constexpr offset_t tiles_held_up_to = offset_t{1} << 19, tiles_held_for_parents_up_to = offset_t{1} << 20;
/// A search goes through at least as many levels as rows of tiles are more than tiles in one. Where these are few, launches are most of
/// both, and tiles have more of them.
constexpr double tile_rows_a_row = 3.5, tile_rows_a_row_of_tiny = 1.5;
/// Small graphs, from 1.5 entries on: up to 768 rows 0.74 to 1.0 (west0479 the most); up to 2,048 0.44 to 0.92 where rows have eight
/// entries or some have half as many again as the mean, 1.1 to 1.2 where all are as short (jagmesh7, grids), unless parents are asked for.
constexpr offset_t tiles_tiny_up_to = 768, tiles_small_up_to = 2048, tile_mean_degree_of_small = 8;
constexpr double tile_entries_a_word_of_small = 1.5;
/// Where rows of tiles hold three tiles, or five that are well filled, a search stays within a few of them for thousands of levels, which one block
/// takes at 0.7 to 1 us each: bands of 3, 5 and 21 diagonals take 0.54, 0.51 and 0.46 of push_pull_fused's time, of 41 and 101 some 0.4.
constexpr double narrow_tiles_a_row = 3.5, narrow_filled_tiles_a_row = 5.5;
constexpr offset_t narrow_mean_degree = 2;
constexpr bool stays_narrow(double tiles_a_row, double entries_a_word) noexcept {
    return tiles_a_row < narrow_tiles_a_row ||
           (tiles_a_row < narrow_filled_tiles_a_row && entries_a_word >= tile_entries_a_word);
}
/// Whether a GPU's blocks hold their tiles if they have room. A level takes them some 1.5 us and 1.5 ns a column of tiles in a block, however
/// few its vertices (H200, ms): bands of 5 and 41 diagonals 14 and 4.6 by such blocks, 6.3 and 2.4 otherwise, grid2d:2000,0.3 19 and 8.4, laplace2d:300 2.0
/// and 2.7, luxembourg_osm 4.8 and 5.6 (the first, the third and the fourth by earlier forms).
constexpr offset_t blocks_hold_up_to = offset_t{1} << 20;
constexpr bool blocks_hold_tiles(offset_t vertices, double tiles_a_row, double entries_a_word) noexcept {
    return vertices <= blocks_hold_up_to && !stays_narrow(tiles_a_row, entries_a_word);
}
/// On a CPU from fewer, but making them takes as long as three to ten searches: only where earlier searches have gone through so
/// many times the matrix's entries. Of 85 graphs (`nz bench regret`, two threads) searches over tiles took 0.05 to 0.96 of push_pull_fused's
/// time on all from 2.5 on, with parents up to 1.26 on large ones below 3 (fe_body); of up to 16,384 vertices 0.14 and 0.37 from 2.25 on (rajat01,
/// wb-cs-stanford), 1.43 and 2.6 below (uniform:10000,300, whitaker3); of up to 4,000, whose bitmaps are some 60 words, 0.06 to 0.72 on 24 of
/// 25 from 1.75 on (dnn1024-l1 1.28), and below anything from 0.26 to 1.9.
constexpr double tile_entries_a_word_on_cpu = 2.5, tile_entries_a_word_on_cpu_for_parents = 3,
                 tile_entries_a_word_of_middling_on_cpu = 2.25, tile_entries_a_word_of_small_on_cpu = 1.75;
constexpr offset_t tiles_small_up_to_on_cpu = 4000, tiles_middling_up_to = 16384;
constexpr offset_t tiles_after_searches = 4;
/// Hubs make a search short: tiles where no row has more than a quarter of the vertices (rajat01, a fifth: 0.44; c-39, a 14th: 0.78;
/// wb-cs-stanford, a 36th: 0.49; hangGlider_2, nine tenths: 1.34; arrow, all: 1.39); in small graphs an eighth (watt_2, a 15th: 0.44; rmat:10,8, a
/// third: 1.21), or a half where rows are short (rajat19 and bp_200, a third: 0.84, 0.79), in dense ones any (facebook_combined, 44 entries a row: 0.53).
constexpr offset_t hubs_tiles_up_to = 65536, tile_mean_degree_of_hubs = 32;
constexpr offset_t hub_share = 4, hub_share_of_small = 8, hub_share_of_short_rows = 2;

/// A row that reaches a 24th of all vertices: two levels or three do, and no words are asked twice (dense:1000,1000 1.69; G1, a 17th: 1.15;
/// dnn1024-l1, a 32nd: 0.92), but in small graphs whose entries lie in a few tiles of each row (qc324, a quarter: 0.82; lund_a, a ninth: 0.88).
constexpr offset_t dense_share = 24;

/// Whether some rows are hubs: much longer than the mean.
constexpr bool has_hubs(const traverse_facts& f) noexcept {
    constexpr offset_t much_longer = 16;
    return f.vertices > 0 && f.longest_row / much_longer >= f.nnz / f.vertices + 1;
}

/// What a GPU's push and pull cost where no row is a hub: a pushed edge about 30 ps (an atomic operation in L2), while a pull
/// goes through most of all rows until a twentieth of the edges leads to visited vertices.
constexpr direction_thresholds no_hubs_on_device{0.05, 0.01, 0.05};

/// A CPU's pull goes through the rows of all unvisited vertices on every level, up to the first member of the frontier: with rows of d
/// entries, and the share s of all entries in those of the frontier, about min(d, 1 / s) each, against s d pushed edges a vertex. 0.4 and
/// the least are measured: both ways cost the same at 0.2 with 16 entries a row, below it with 40 (uniform graphs), at 0.25 on cage10, between
/// 0.1 and 0.28 on powerlaw:200000. On meshes, whose fronts stay a few percent of the vertices for dozens of levels, searches took 6 to 30 times as
/// long at 0.01.
constexpr double pull_share = 0.4, least_pull_share = 0.2;
constexpr direction_thresholds directions_on_cpu(offset_t vertices, offset_t nnz) {
    const double d =
        vertices > 0 && nnz > vertices ? static_cast<double>(nnz) / static_cast<double>(vertices) : 1;
    double root = d;
    for (int step = 0; step < 40; ++step) root = (root + d / root) / 2;
    const double share = pull_share / root > least_pull_share ? pull_share / root : least_pull_share;
    return {share, 0.01, share};
}
/// Larger graphs with hubs keep the rule as it is: there a pushed edge costs a cache miss, and pull asks hubs first.
constexpr offset_t cached_vertices = offset_t{1} << 18;

/// A search of a graph that one turn of a cluster of 16 blocks goes through (a thread a vertex, four edges in flight) gets no more blocks
/// than that: a plain launch, and barriers of the cluster in place of the grid's. Fewer blocks would make their number a variable,
/// which the thin levels of large graphs pay for: grid2d:2000,0.3 7.85 ms for 7.33.
constexpr int cluster_blocks_on_device = 16;
constexpr offset_t block_vertices = 1024, block_edges = 4096;
constexpr int push_pull_fused_blocks(offset_t vertices, offset_t nnz) {
    constexpr int blocks = cluster_blocks_on_device;
    return vertices <= blocks * block_vertices && nnz <= blocks * block_edges ? blocks : 0;
}

/// Clusters of 16 leave a part of the multiprocessors idle, of 132 at least twenty. Levels that one of them goes through alone pay where they
/// are many; in graphs with hubs, and in those of eight entries a row or more whose rows share no neighbours with the rows beside them
/// (entries in a word of a tile, known where tiles were in question: 1.0 on uniform graphs, 2.8 on laplace3d:100), they are few, and
/// clusters of 2 have the whole GPU. A deep mesh whose vertices are numbered at random looks like those; what it
/// loses has not been measured.
constexpr int small_cluster_on_device = 2;
constexpr offset_t wide_from_vertices = offset_t{1} << 18;
constexpr double shared_entries_a_word = 1.5;
constexpr offset_t scattered_mean_degree = 8;
constexpr int push_pull_fused_cluster(const traverse_facts& f) noexcept {
    if (f.vertices < wide_from_vertices) return cluster_blocks_on_device;
    const bool scattered = f.tiles_sampled && f.entries_a_word < shared_entries_a_word &&
                           f.nnz / f.vertices >= scattered_mean_degree;
    const bool wide = has_hubs(f) || scattered;
    return wide ? small_cluster_on_device : cluster_blocks_on_device;
}

/// Bitmaps of fewer vertices lie in shared memory, where rows are as quick as their first two neighbours are beforehand: 2 to 4% slower
/// with them on graphs of 10,000 to 76,000 vertices, 3% faster on one of so many, a fifth on one of four times as many.
constexpr offset_t first_heads_from = offset_t{1} << 20;

struct traverse_plan {
    std::string_view kernel;
    direction_thresholds thresholds{};
    bool builds_transpose = false;  ///< pull reads columns that are not there yet
    bool on_device = false;
    /// A GPU's pull asks two in-neighbours of each vertex before its row (8 bytes a vertex, found once). On Kronecker graphs
    /// the strongest answer for 94 to 99.9% of the vertices that the first pull finds; of the smallest parent only the first can tell.
    storage::row_heads heads = storage::row_heads::none;
    offset_t queue_capacity = 0;      ///< pieces, on a GPU
    int blocks = 0;                   ///< on a GPU, where one cluster of so many does; 0: all of it
    int cluster_blocks = 0;           ///< on a GPU, blocks of a cluster
    std::size_t workspace_bytes = 0;  ///< of order vertices
    // traverse/tile
    bool asks_tiles = false;  ///< plan again with a sample of tiles
    int tile_size = 0;        ///< 0: both sizes would take too much
    int tile_least = 0;       ///< entries in a tile; those of smaller ones are extracted
    tile_thresholds phases{};
    bool may_hold_tiles = false;  ///< on a GPU: no phases are asked for
    std::string_view reason;

    friend bool operator==(const traverse_plan&, const traverse_plan&) = default;
};

/// Of `threads`, those that push a level together: each has a segment of finds for each other, of this many pairs at least, for smaller
/// ones would mean a round every microsecond. 64 by when they need 4 M vertices.
constexpr offset_t least_push_segment = 1024;
constexpr int push_team(int threads, offset_t vertices) {
    int team = std::clamp(threads, 1, 64);
    while (team > 1 && vertices / (offset_t{team} * team) < least_push_segment) --team;
    return team;
}
/// A dense push, by a team of so many at most, gives each a copy of the visited set, two of them bitmaps that are there.
constexpr int dense_push_threads = 8;
constexpr int dense_push_copies(int team) { return team > 2 && team <= dense_push_threads ? team - 2 : 0; }

/// Bytes of the fused kernel: two queues, four bitmaps and one packed word a vertex, and copies of the visited set.
constexpr std::size_t push_pull_fused_workspace(offset_t vertices, int threads) {
    const auto n = static_cast<std::size_t>(vertices), words = (n + 63) / 64;
    return 2 * padded(n * sizeof(index_t)) + 4 * padded(words * 8) + padded(n * sizeof(std::uint64_t)) +
           padded(words * 8 * static_cast<std::size_t>(dense_push_copies(push_team(threads, vertices))));
}

/// Smaller graphs are a launch and little else.
constexpr offset_t tiles_from_vertices = 128;

/// Whether a GPU's graph has hubs that speak against tiles.
constexpr bool hubs_forbid_tiles(const traverse_facts& f) noexcept {
    if (!has_hubs(f)) return false;
    if (f.vertices > hubs_tiles_up_to) return true;
    if (f.vertices <= tiles_small_up_to) {
        const bool short_rows = f.nnz / f.vertices < tile_mean_degree_of_small;
        return f.longest_row > f.vertices / (short_rows ? hub_share_of_short_rows : hub_share_of_small);
    }
    return f.nnz / f.vertices < tile_mean_degree_of_hubs && f.longest_row > f.vertices / hub_share;
}

/// Whether a sample of tiles is asked for though nobody asked for tiles, by what is known without one: tiles are in question, or on a
/// GPU, where push_pull_fused was asked for, the size of its clusters.
constexpr bool tiles_in_question(const traverse_facts& f) noexcept {
    const bool clusters = f.on_device && f.pinned == "push_pull_fused" && f.vertices >= wide_from_vertices;
    if (!(f.pinned.empty() || clusters) || !f.tiles_serve || f.vertices == 0 || f.nnz == 0) return false;
    const offset_t least = clusters ? scattered_mean_degree : narrow_mean_degree, degree = f.nnz / f.vertices;
    return f.on_device ? f.vertices >= tiles_from_vertices && degree >= least &&
                             (degree < f.vertices / dense_share || f.vertices <= tiles_small_up_to) &&
                             !hubs_forbid_tiles(f)
                       : f.searched / tiles_after_searches >= f.nnz;
}

/// Whether the sample speaks for tiles.
constexpr bool tiles_pay(const traverse_facts& f) noexcept {
    if (!f.on_device)
        return f.entries_a_word >=
               (f.vertices <= tiles_small_up_to_on_cpu ? tile_entries_a_word_of_small_on_cpu
                : f.vertices <= tiles_middling_up_to   ? tile_entries_a_word_of_middling_on_cpu
                : f.parents                            ? tile_entries_a_word_on_cpu_for_parents
                                                       : tile_entries_a_word_on_cpu);
    if (stays_narrow(f.tiles_a_row, f.entries_a_word)) return true;
    const offset_t degree = f.nnz / f.vertices;
    const double rows_a_row = static_cast<double>(f.vertices) / 32 / f.tiles_a_row;
    if (f.vertices <= tiles_small_up_to) {
        const bool tiny = f.vertices <= tiles_tiny_up_to, dense = degree >= f.vertices / dense_share;
        if ((tiny || dense) && rows_a_row < tile_rows_a_row_of_tiny) return false;
        const bool uneven = 2 * f.longest_row * f.vertices >= 3 * f.nnz;
        return f.entries_a_word >= tile_entries_a_word_of_small &&
               (tiny || f.parents || uneven || degree >= tile_mean_degree_of_small);
    }
    if (rows_a_row < tile_rows_a_row) return false;
    if (has_hubs(f)) return f.entries_a_word >= tile_entries_a_word_of_short_rows;
    if (f.entries_a_word >= tile_entries_a_word) return true;
    if (f.parents)
        return f.vertices <= tiles_held_for_parents_up_to &&
               f.entries_a_word >= tile_entries_a_word_for_parents;
    if (f.vertices > tiles_held_up_to) return false;
    const bool large = f.vertices >= tiles_large_from, short_rows = degree < tile_mean_degree_of_short_rows;
    return f.entries_a_word >= (large && degree >= tile_mean_degree_of_large ? tile_entries_a_word_of_large
                                : degree >= tile_mean_degree ? tile_entries_a_word_of_long_rows
                                : short_rows && !large       ? tile_entries_a_word_of_short_rows
                                                             : tile_entries_a_word_of_held);
}

/// The rest of the plan of traverse/tile. A size that was asked for is taken whatever its bytes.
constexpr traverse_plan plan_tiles(const traverse_facts& f, traverse_plan plan) noexcept {
    plan.tile_least = f.tile_least >= 0 ? f.tile_least : f.on_device ? 0 : least_tile_entries;
    plan.on_device = f.on_device;
    plan.phases = f.on_device ? tiles_on_gpu : tiles_on_cpu;
    if (f.alpha >= 0) plan.phases.density = f.alpha;
    if (f.beta >= 0)
        plan.phases = {plan.phases.density, f.beta,
                       static_cast<double>(f.vertices)};  // the share alone decides
    plan.may_hold_tiles = f.on_device && f.alpha < 0 && f.beta < 0;
    plan.builds_transpose = !f.columns_ready;
    plan.tile_size = f.tile_size;
    if (f.tile_size == 0) {
        plan.asks_tiles = !f.tiles_sampled;
        if (plan.asks_tiles) return plan;
        plan.tile_size = tile_size_for(f);
    }
    if (plan.tile_size)
        plan.workspace_bytes = f.on_device ? device_tile_workspace(f.vertices, plan.tile_size)
                                           : tile_workspace(f.vertices, plan.tile_size);
    return plan;
}

constexpr traverse_plan traverse(const traverse_facts& f) noexcept {
    traverse_plan plan;
    plan.kernel = f.pinned.empty() ? "push_pull_fused" : f.pinned;
    plan.reason =
        f.pinned.empty() ? "one kernel for all levels: no operation call, no conversion a level" : "pinned";
    if (plan.kernel == "tile") return plan_tiles(f, plan);
    if (tiles_in_question(f)) {
        plan.asks_tiles = !f.tiles_sampled;
        if (f.pinned.empty() && f.tiles_sampled && tiles_pay(f) && tile_size_for(f) != 0) {
            plan.kernel = "tile";
            plan.reason =
                f.on_device
                    ? "rows that are near share their neighbours: a word asks for many edges, a few tiles for a level"
                    : "searched again and again: tiles pay, whose words ask for many edges at once";
            return plan_tiles(f, plan);
        }
    }
    if (plan.kernel == "push_pull_fused" && !f.on_device && (!has_hubs(f) || f.vertices <= cached_vertices))
        plan.thresholds = directions_on_cpu(f.vertices, f.nnz);
    if (plan.kernel == "push_pull_fused" && f.on_device && !has_hubs(f)) plan.thresholds = no_hubs_on_device;
    if (f.alpha >= 0) plan.thresholds.alpha = f.alpha;
    if (f.beta >= 0) plan.thresholds.beta = f.beta;
    plan.builds_transpose = f.change_direction && !f.columns_ready;
    if (plan.kernel != "push_pull_fused") return plan;
    plan.on_device = f.on_device;
    if (f.on_device) {
        if (f.change_direction && f.plain && has_hubs(f)) {
            if (f.any_parent)
                plan.heads = storage::row_heads::strongest;
            else if (f.vertices >= first_heads_from)
                plan.heads = storage::row_heads::first;
        }
        plan.queue_capacity =
            push_pull_fused_queue(f.vertices, f.nnz, f.change_direction && !f.scheduled, plan.thresholds);
        plan.blocks = push_pull_fused_blocks(f.vertices, f.nnz);
        plan.cluster_blocks = push_pull_fused_cluster(f);
        plan.workspace_bytes = push_pull_fused_device_workspace(f.vertices, plan.queue_capacity, f.parents);
    } else {
        plan.workspace_bytes = push_pull_fused_workspace(f.vertices, f.threads);
    }
    return plan;
}

}  // namespace nz::plan
