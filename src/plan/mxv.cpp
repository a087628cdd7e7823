#include "plan/mxv.hpp"

namespace nz::plan {
namespace {

struct choice {
    std::string_view kernel, reason;
};

double density(const mxv_facts& f) {
    return f.input == vector_form::dense ? 1
                                         : static_cast<double>(f.input_count) /
                                               static_cast<double>(std::max<offset_t>(f.input_size, 1));
}

// Tiles of what a sparse u meets little of.
bool takes_tiles(const mxv_facts& f) {
    if (!f.on_device || f.input == vector_form::dense || f.limited || f.outside_tiles < 0) return false;
    if (f.nnz == 0 || f.expected < device_tiles_from_products) return false;
    const double mean = static_cast<double>(f.nnz) / static_cast<double>(f.output_size),
                 longest = static_cast<double>(f.longest_row);
    const bool launches_alone = f.nnz <= small_on_device && density(f) <= tiles_of_few_density;
    return (launches_alone || f.outside_tiles <= tiles_most_outside) && density(f) * mean <= tiles_most_met &&
           (longest <= tiles_spread * mean ||
            (longest <= tiles_longest_row &&
             longest * (longest + tiles_rows_beside * mean) * density(f) <= tiles_most_of_longest));
}

bool takes_slices(const mxv_facts& f) {
    const bool gaps = f.input != vector_form::dense, large = f.nnz >= device_slices_from_entries;
    if (f.limited || f.slice_diagonals < 0) return false;
    if (!f.on_device && (f.nnz < slices_from_entries || gaps)) return false;
    if (f.on_device && !large && f.expected < device_small_slices_from_products) return false;
    const double row_mean = static_cast<double>(f.nnz) / static_cast<double>(f.output_size);
    if (gaps && density(f) < slices_from_density(row_mean) && takes_tiles(f)) return false;
    const double diagonals = f.slice_diagonals * row_mean * storage::slice_rows;  // of a slice, on average
    const offset_t products = !f.on_device                     ? slices_from_products
                              : diagonals >= device_long_slice ? device_long_slices_from_products
                                                               : device_slices_from_products;
    return f.expected >= products && slices_pay(f) &&
           static_cast<double>(f.longest_row) <= std::max(longest_of_short, slice_spread * diagonals);
}

bool takes_blocks(const mxv_facts& f) {
    if (f.on_device || f.nnz < slices_from_entries || f.input != vector_form::dense || f.limited || !f.blocks)
        return false;
    const block_choice blocks = best_blocks(*f.blocks, f.entry_bytes);
    if (f.expected < slices_from_products || !blocks_pay(blocks, f.entry_bytes)) return false;
    if (f.slice_diagonals >= 0 && slices_pay(f.slice_diagonals, f.entry_bytes) &&
        blocks.bytes > blocks_over_slices * slice_bytes_an_entry(f.slice_diagonals, f.entry_bytes))
        return false;
    // A block row is one thread's.
    return static_cast<double>(f.longest_row) * storage::largest_block <=
           std::max(longest_of_short * storage::largest_block,
                    long_row_share * static_cast<double>(f.nnz) / f.threads);
}

bool takes_ranks(const mxv_facts& f) {
    const offset_t entries = f.on_device ? device_slices_from_entries : slices_from_entries,
                   products = f.on_device ? device_ranks_from_products : ranks_from_products;
    return f.nnz >= entries && f.input == vector_form::dense && !f.limited && f.expected >= products &&
           f.hot_columns >= hot_columns_share && may_rank(f.input_size, f.value_bytes, f.on_device);
}

bool takes_bins(const mxv_facts& f) {
    return f.on_device && f.input == vector_form::dense && !f.limited && f.scattered >= scattered_reads &&
           f.reach >= bins_least_reach && f.runs <= bins_most_runs && bins_may_pay(f);
}

bool takes_ell(const mxv_facts& f) {
    // A row that stands whole is one thread's.
    return !f.on_device && f.nnz >= ell_from_entries && f.input == vector_form::dense && !f.limited &&
           f.expected >= ell_from_products && ell_pays(f.ell_share) &&
           static_cast<double>(f.longest_row) <= long_row_share * static_cast<double>(f.nnz) / f.threads;
}

bool has_few_in_short_rows(const mxv_facts& f) {
    const auto [longest, mean] = short_on_device(f.input == vector_form::dense);
    return f.on_device && f.nnz <= small_on_device && f.degree_max >= 0 && f.degree_max <= longest &&
           static_cast<double>(f.nnz) <= mean * static_cast<double>(f.output_size);
}

choice choose_pull(const mxv_facts& f) {
    if (f.masked) return {"csr_row_masked", "mask: only rows that it lets through are computed"};
    if (f.first_wins || (f.terminates && f.input != vector_form::dense))
        return {"csr_row_masked", "the sum ends early: rows cost less than their length"};
    if (takes_blocks(f)) return {"bsr_row", "many products, and entries come in square blocks"};
    if (takes_slices(f))
        return {"dia_slice", "many products, and rows beside each other have the same diagonals"};
    if (takes_tiles(f)) return {"tile_row", "many products, and u meets few of the matrix's tiles"};
    if (has_few_in_short_rows(f)) return {"csr_row", "few entries in short rows: one launch"};
    if (takes_ell(f)) return {"ell_slice", "many products, and rows that are equally long go side by side"};
    constexpr choice ranked{"csr_ranked", "many products, and a few columns have many of the entries"};
    if (f.on_device && takes_ranks(f)) return ranked;
    if (takes_bins(f))
        return {"csr_binned", "many products, and entries read u all over: by ranges of columns"};
    if (f.on_device) return {"csr_merge", "entries shared out evenly over the GPU's blocks"};
    // A row above a thread's share leaves the others idle while it is summed.
    if (f.threads > 1 && f.degree_max >= 0 &&
        static_cast<double>(f.degree_max) > long_row_share * static_cast<double>(f.nnz) / f.threads)
        return {"csr_merge",
                "one row holds more than half of a thread's share of the entries: split by entries"};
    if (f.threads > 1 && f.output_size < 64 * row_blocks_a_thread * f.threads && f.nnz > merge_from_entries)
        return {"csr_merge", "too few rows to share out whole: split by entries"};
    if (takes_ranks(f) && !f.branches) return ranked;
    const double mean = f.output_size ? static_cast<double>(f.nnz) / static_cast<double>(f.output_size) : 0;
    const bool flat = f.input == vector_form::dense && (f.empty_rows == 0 || mean >= compaction_mean);
    if (flat && f.nnz > merge_from_entries) {
        if (f.scattered > scattered_reads &&
            mean<long_row_mean&& static_cast<double>(f.input_size) * static_cast<double>(f.value_bytes)>
                cached_bytes)
            return {"csr_merge", "entries read u all over: products are formed before rows are summed"};
        if (mean <= short_row_mean && f.row_deviation > varied_rows)
            return {"csr_merge", "short rows of varying length: products are formed before rows are summed"};
        // Likely since NaN gives way there, which csr_row asks entry by entry, and csr_merge in vectors: min_plus took 21 ms for 5.4 on
        // laplace3d:60 and 44 for 22 on random:500000,16 (one thread).
        if (f.branches)
            return {"csr_merge",
                    "the least or greatest of floats: products are formed before rows are summed"};
    }
    return {"csr_row", "rows shared out whole by entries"};
}

choice choose_device_push(const mxv_facts& f, double products) {
    if (gathers_in_block(f)) return {"csc_gather_radix", "u is sparse, and one block holds its products"};
    if (f.any_order) return {"csc_gather_scatter", "u is sparse, and its products may be added in any order"};
    if (products <= device_bucket_products &&
        products * bucket_rows_of(f) <= static_cast<double>(f.output_size))
        return {"csc_gather_bucket", "u is sparse, and its products fill few buckets"};
    if (products <= device_merge_products)
        return {"csc_gather_merge", "u is sparse, and its products are few"};
    return {"csc_gather_radix", "u is sparse: its columns hold less work than the rows"};
}

// Of the rows, those that the mask lets through.
double share_of_rows(const mxv_facts& f) {
    return f.masked && f.output_size ? static_cast<double>(f.mask_allows) / static_cast<double>(f.output_size)
                                     : 1;
}

// A sum of the whole products, of all rows.
bool is_plain(const mxv_facts& f) { return !f.masked && !f.first_wins && !f.terminates; }

double longest_beyond_tiles(const mxv_facts& f) {
    return std::max(0.0, static_cast<double>(f.longest_row) - device_block_longest_in_tiles);
}

// So few products that one block is the fastest, whatever a pull would read the matrix by.
bool goes_by_block_at_once(const mxv_facts& f, double products) {
    if (!gathers_in_block(f) || f.input != vector_form::sparse) return false;
    if (!f.push_ready && (f.limited || f.expected < device_push_from_products)) return false;
    const double entries = static_cast<double>(f.nnz) * share_of_rows(f);
    const double at_once = is_plain(f) && takes_tiles(f)
                               ? entries / device_block_entries_in_tiles + longest_beyond_tiles(f) +
                                     std::min(static_cast<double>(f.output_size), device_block_most_rows) /
                                         device_block_rows_in_tiles
                               : entries / device_block_entries;
    if (products <= device_block_at_once + at_once) return true;
    return f.nnz <= small_on_device && 2 * products <= device_block_few &&
           choose_pull(f).kernel == "csr_merge";
}

choice choose_push_on_cpu(std::string_view kernel) {
    if (kernel == "csc_gather_scatter")
        return {
            kernel,
            "u is sparse: its products are added up where they belong, by ranges of rows that a cache holds"};
    if (kernel == "csc_gather_merge") return {kernel, "u is sparse, and its products are few"};
    return {kernel, "u is sparse: its columns hold less work than the rows"};
}

// The generic push is one thread's, the pull looks at every entry.
bool pushes_generic(const mxv_facts& f) {
    if (f.compiled || !f.push_ready || f.input == vector_form::dense) return false;
    const double pull = static_cast<double>(f.nnz) * share_of_rows(f) / f.threads +
                        (f.pull_ready ? 0 : generic_turning * static_cast<double>(f.nnz));
    return generic_push_cost * products_expected(f) < pull;
}

// Of so many rows that a pull would first make offsets for, nearly all are empty.
bool has_few_in_many_rows(const mxv_facts& f) {
    const double push = f.on_device
                            ? device_sort_cost_even * static_cast<double>(f.nnz) + device_push_launches_even
                            : push_cost * static_cast<double>(f.nnz);
    return f.push_ready && !f.pull_ready &&
           push + static_cast<double>(f.input_size) < static_cast<double>(f.output_size);
}

choice choose_push(const mxv_facts& f, double products, std::string_view on_cpu, bool is_full) {
    choice push = f.on_device ? choose_device_push(f, products) : choose_push_on_cpu(on_cpu);
    if (is_full)
        push.reason = "few entries in a great many rows: only those that get a product are looked at";
    return push;
}

choice choose(const mxv_facts& f) {
    if (pushes_generic(f))
        return {"generic",
                "this semiring and type are not compiled: generic path, by the columns that u names"};
    if (f.composable)
        return {"composed",
                "not compiled as a whole: operands gathered, multiplied and summed by blocks of entries"};
    if (!f.compiled)
        return {"generic",
                "this semiring and type are not compiled: generic path, an indirect call a product"};
    const bool is_full = f.input == vector_form::dense || f.input_count == f.input_size;
    if (f.must_pull || (is_full && !has_few_in_many_rows(f))) return choose_pull(f);
    const double products = products_expected(f);
    if (goes_by_block_at_once(f, products)) return choose_device_push(f, products);
    // On a GPU forms of the matrix that are read by what u holds have no products to sort and no count to wait for.
    if (f.on_device && is_plain(f) && (takes_tiles(f) || takes_slices(f))) return choose_pull(f);
    // Pull reads the entries of the rows that the mask lets through, and a word of the mask for 64 of the
    // others.
    const double share = share_of_rows(f);
    const std::string_view on_cpu = push_on_cpu(products, f.input_count, f.output_size, f.value_bytes);
    const bool adds_in_place = on_cpu == "csc_gather_scatter" && !f.first_wins && !f.terminates;
    const auto rows = static_cast<double>(f.output_size);
    double pull = static_cast<double>(f.nnz) * share + rows / 64, push = rows / 64;
    const double block = (products <= device_block_few ? 1 : 2) * device_block_launch;
    if (!f.on_device) {
        push += products * (adds_in_place ? push_scatter_cost : push_cost);
    } else if (f.any_order || choose_pull(f).kernel == "csr_row_masked") {
        push += gathers_in_block(f) ? block
                                    : products * (f.any_order ? device_scatter_cost : device_sort_cost) +
                                          device_push_launches;
    } else {
        push +=
            gathers_in_block(f) ? 2 * block : products * device_sort_cost_even + device_push_launches_even;
        const bool far = static_cast<double>(f.nnz) <= device_short_row * rows;
        pull = pull * (1 + (far ? device_scattered_cost * f.scattered : 0)) + rows;
    }
    // A representation that is not there costs about eight reads of the matrix and a list for each of its rows, once for all products
    // that are expected; under a memory limit it may be what does not fit.
    const double products_of_it = f.limited ? 1 : static_cast<double>(std::max<offset_t>(f.expected, 1));
    const double turning = 8.0 * static_cast<double>(f.nnz);
    if (!f.push_ready) push += (turning + static_cast<double>(f.input_size)) / products_of_it;
    if (!f.pull_ready) pull += (turning + static_cast<double>(f.output_size)) / products_of_it;
    return push < pull ? choose_push(f, products, on_cpu, is_full) : choose_pull(f);
}

bool is_push(std::string_view kernel) { return kernel.starts_with("csc_"); }

}  // namespace

mxv_plan mxv(const mxv_facts& f) noexcept {
    const auto [kernel, reason] = f.pinned.empty() ? choose(f) : choice{f.pinned, "pinned"};
    mxv_plan plan;
    plan.kernel = kernel;
    plan.reason = reason;
    plan.determinism = f.determinism;
    const bool generic = kernel == "reference" || kernel == "generic" || kernel == "composed";
    plan.on_device = f.on_device && !generic;
    plan.tier = generic ? tier::generic : tier::compiled;
    const bool pushes = is_push(kernel) || (kernel == "generic" && pushes_generic(f));
    plan.direction = pushes ? direction::push : direction::pull;
    plan.builds_transpose = plan.direction == direction::push ? !f.push_ready : !f.pull_ready;
    plan.converts_matrix = f.convert_matrix && plan.tier == tier::compiled;
    plan.converts_vector = f.convert_vector && plan.tier == tier::compiled;
    if (plan.tier == tier::generic) {
        if (kernel == "composed")
            plan.workspace_bytes = composed_workspace(f.nnz, f.operand_bytes, f.value_bytes,
                                                      f.masked || f.input != vector_form::dense, f.threads);
        plan.input = f.input;
        plan.output = vector_form::sparse;
        return plan;
    }
    if (plan.direction == direction::push) {
        plan.input = vector_form::sparse;
        plan.output = kernel == "csc_gather_scatter" || kernel == "csc_gather_bucket" ? vector_form::bitmap
                                                                                      : vector_form::sparse;
        const bool in_block =
            f.on_device && kernel == "csc_gather_radix" && may_gather_in_block(f.input_count, f.products);
        if (f.products >= 0 && !in_block)
            plan.workspace_bytes =
                f.on_device ? device_gather_workspace(kernel == "csc_gather_scatter", f.first_wins,
                                                      f.output_size, f.products, f.value_bytes, f.sort_bytes)
                : kernel == "csc_gather_scatter"
                    ? gather_scatter_workspace(f.input_count, f.products, f.output_size, f.value_bytes,
                                               f.threads)
                : kernel == "csc_gather_radix"
                    ? gather_radix_workspace(f.input_count, f.products, f.value_bytes, f.threads)
                    : gather_merge_workspace(f.input_count, f.products, f.value_bytes);
    } else {
        plan.input = f.input == vector_form::dense ? vector_form::dense : vector_form::bitmap;
        const bool leaves_rows_out = kernel == "csr_row_masked" || (f.masked && reads_tiles(kernel));
        plan.output = !leaves_rows_out && f.empty_rows == 0 && plan.input == vector_form::dense
                          ? vector_form::dense
                          : vector_form::bitmap;
        const bool by_chunks = f.on_device && goes_by_chunks(kernel);
        plan.early_exit = f.terminates && !by_chunks && kernel != "csr_merge" && kernel != "dia_slice" &&
                          kernel != "bsr_row" && kernel != "ell_slice";
        plan.builds_slices = kernel == "dia_slice" && !f.slices_ready;
        if (kernel == "bsr_row" && f.blocks) {
            plan.block_side = best_blocks(*f.blocks, f.entry_bytes).side;
            plan.builds_blocks = !f.blocks_ready;
        }
        plan.ranked = kernel == "ell_slice" && ranks_ell(f);
        plan.builds_ell = kernel == "ell_slice" && !f.ell_ready;
        plan.builds_ranks = kernel == "csr_ranked" && !f.ranks_ready;
        plan.builds_bins = kernel == "csr_binned" && !f.bins_ready && plan.input == vector_form::dense;
        plan.compacts_rows = (by_chunks || kernel == "csr_merge") && f.empty_rows != 0;
        if (reads_tiles(kernel)) {
            plan.tiles = tiles_for(f.tiles);
            plan.builds_tiles = !f.tiles_ready;
            if (kernel == "tile_column")
                plan.workspace_bytes = f.on_device ? device_tile_column_workspace(f.output_size)
                                                   : tile_column_workspace(f.output_size, plan.tiles.size);
        }
        if (by_chunks) plan.workspace_bytes = device_csr_merge_workspace(f.nnz);
        if (kernel == "csr_merge" && !f.on_device) plan.workspace_bytes = csr_merge_workspace(f.threads);
        if (kernel == "csr_binned")
            plan.workspace_bytes =
                padded(plan.workspace_bytes) + binned_products_workspace(f.nnz, f.value_bytes);
        if (kernel == "csr_ranked" || plan.ranked)
            plan.workspace_bytes =
                padded(plan.workspace_bytes) + ranked_vector_workspace(f.input_size, f.value_bytes);
    }
    plan.converts_vector = plan.converts_vector || plan.input != f.input;
    return plan;
}

}  // namespace nz::plan
