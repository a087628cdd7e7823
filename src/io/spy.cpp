// Spy plots. A small matrix is drawn place by place; of a large one every pixel stands for a block of places
// and is as dark as the logarithm of the share of them that are filled, so that single entries remain
// visible.
#include "core/checks.hpp"
#include "core/parallel.hpp"
#include "io/output_file.hpp"
#include "io/png.hpp"
#include "nonzero/io.hpp"
#include "storage/matrix_body.hpp"

#include <algorithm>
#include <cmath>

namespace nz {
namespace io {
namespace {

constexpr colour white{255, 255, 255}, ink{45, 45, 45}, frame_colour{130, 130, 130},
    grid_colour{236, 236, 236};
constexpr colour entry_colour{8, 81, 156};
// One hue, equal steps of lightness. The lightest still stands out from the white of no entries.
constexpr colour shades[] = {{188, 213, 235}, {158, 202, 225}, {107, 174, 214}, {66, 146, 198},
                             {33, 113, 181},  {8, 81, 156},    {8, 48, 107}};

constexpr int largest_cell = 40;  // pixels
constexpr int grid_from = 4;      // pixels of a cell from which on a grid helps
constexpr int margin = 16, gap = 8, tick_length = 5;

colour shade(double t) {
    const double place = std::clamp(t, 0.0, 1.0) * (std::size(shades) - 1);
    const auto k = std::min<std::size_t>(static_cast<std::size_t>(place), std::size(shades) - 2);
    const auto mixed = [&](std::uint8_t colour::*part) {
        const double low = shades[k].*part, high = shades[k + 1].*part;
        return static_cast<std::uint8_t>(std::lround(low + (high - low) * (place - static_cast<double>(k))));
    };
    return {mixed(&colour::red), mixed(&colour::green), mixed(&colour::blue)};
}

std::string grouped(offset_t n) {
    std::string digits = std::to_string(n);
    for (auto k = static_cast<std::ptrdiff_t>(digits.size()) - 3; k > 0; k -= 3) digits.insert(k, ",");
    return digits;
}

// One side of the matrix: `size` rows or columns in `blocks` blocks on `pixels` pixels.
struct axis {
    offset_t size = 0;
    int pixels = 1, blocks = 0;
    std::uint64_t factor = 0;  ///< blocks / size, times 2^32

    axis(offset_t n, int length)
        : size(n), pixels(length), blocks(static_cast<int>(std::min<offset_t>(n, length))) {
        if (n > 0) factor = (static_cast<std::uint64_t>(blocks) << 32) / static_cast<std::uint64_t>(n);
    }
    int block_of(offset_t i) const { return static_cast<int>(static_cast<std::uint64_t>(i) * factor >> 32); }
    offset_t start(int block) const {
        if (block == blocks) return size;
        return static_cast<offset_t>(((static_cast<std::uint64_t>(block) << 32) + factor - 1) / factor);
    }
    offset_t width(int block) const { return start(block + 1) - start(block); }
    int pixel(int block) const { return static_cast<int>(static_cast<offset_t>(block) * pixels / blocks); }
    int middle(offset_t i) const {
        return static_cast<int>((static_cast<double>(i) + 0.5) * pixels / static_cast<double>(size));
    }
    bool cells() const { return blocks == size; }
};

// Whole pixels a cell where they fit, or nearly: a picture some larger than asked for is better than one in
// which some pixels stand for one place and others for two. `shortest` keeps the short side of a long matrix
// visible.
std::pair<axis, axis> axes_of(const matrix& a, int pixels) {
    const offset_t longer = std::max<offset_t>({a.rows(), a.columns(), 1});
    const offset_t shortest = std::max(pixels / 6, 1);
    const offset_t cell =
        longer <= pixels + pixels / 4 ? std::clamp<offset_t>(pixels / longer, 1, largest_cell) : 0;
    const auto length = [&](offset_t n) {
        if (n == 0) return largest_cell;
        const offset_t plain = cell ? n * cell : std::max<offset_t>(1, n * pixels / longer);
        const offset_t raised = n <= shortest ? n * std::min<offset_t>(largest_cell, shortest / n) : shortest;
        return static_cast<int>(std::max(plain, raised));
    };
    return {axis(a.rows(), length(a.rows())), axis(a.columns(), length(a.columns()))};
}

struct block_counts {
    axis rows, columns;
    array<offset_t> counts;  ///< row by row

    double density(int r, int c) const {
        const double places = static_cast<double>(rows.width(r)) * static_cast<double>(columns.width(c));
        return static_cast<double>(counts[static_cast<std::size_t>(r) * columns.blocks + c]) / places;
    }
};

block_counts count_blocks(const context& ctx, const storage::csr& a, const axis& rows, const axis& columns) {
    block_counts out{rows, columns,
                     array<offset_t>(ctx, static_cast<std::size_t>(rows.blocks) * columns.blocks)};
    storage::with_offsets(a, [&](const auto* offsets) {
        const index_t* indices = a.index_data();
        parallel::for_chunks(ctx.threads(), rows.blocks, 1, [&](offset_t r, offset_t) {
            offset_t* counts = out.counts.data() + r * columns.blocks;
            std::fill_n(counts, columns.blocks, 0);
            const offset_t first = rows.start(static_cast<int>(r)),
                           last = rows.start(static_cast<int>(r) + 1);
            for (offset_t k = offsets[first]; k < offsets[last]; ++k) ++counts[columns.block_of(indices[k])];
        });
    });
    return out;
}

// Shares of filled places, of blocks with entries.
struct density_range {
    double lowest = 1, highest = 0;

    explicit density_range(const block_counts& b) {
        for (int r = 0; r < b.rows.blocks; ++r)
            for (int c = 0; c < b.columns.blocks; ++c)
                if (const double d = b.density(r, c); d > 0) {
                    lowest = std::min(lowest, d);
                    highest = std::max(highest, d);
                }
    }
    bool none() const { return highest == 0; }
    double position(double density) const {
        return lowest < highest ? std::log(density / lowest) / std::log(highest / lowest) : 1;
    }
};

void draw_blocks(picture& p, int left, int top, const block_counts& b, const density_range& range) {
    const int cell = std::min(b.rows.pixels / std::max(b.rows.blocks, 1),
                              b.columns.pixels / std::max(b.columns.blocks, 1));
    const bool cells = b.rows.cells() && b.columns.cells();
    const int line =
        cells && cell >= grid_from ? 1 : 0;  // a cell leaves the grid's lines at its left and top free
    for (int r = line; line && r < b.rows.blocks; ++r)
        p.fill(left, top + b.rows.pixel(r), b.columns.pixels, 1, grid_colour);
    for (int c = line; line && c < b.columns.blocks; ++c)
        p.fill(left + b.columns.pixel(c), top, 1, b.rows.pixels, grid_colour);
    for (int r = 0; r < b.rows.blocks; ++r)
        for (int c = 0; c < b.columns.blocks; ++c) {
            const double density = b.density(r, c);
            if (density == 0) continue;
            const int x = b.columns.pixel(c), y = b.rows.pixel(r);
            p.fill(left + x + line, top + y + line, b.columns.pixel(c + 1) - x - line,
                   b.rows.pixel(r + 1) - y - line, cells ? entry_colour : shade(range.position(density)));
        }
}

// Numbers 1, 2 or 5 times a power of ten apart, and at least `spacing` pixels.
struct ticks {
    offset_t step = 1;

    ticks(const axis& a, int spacing) {
        const double least = static_cast<double>(spacing) * static_cast<double>(a.size) / a.pixels;
        for (int k = 0; static_cast<double>(step) < least; ++k) step = k % 3 == 1 ? step / 2 * 5 : step * 2;
    }
    static ticks across(const axis& a) {
        return {a, std::max(picture::text_width(grouped(a.size)) + 2 * gap, a.pixels / 8)};
    }
    static ticks down(const axis& a) { return {a, std::max(picture::text_height + gap, a.pixels / 12)}; }
    std::string label(offset_t i) const {
        if (i == 0) return "0";
        if (step % 1'000'000 == 0) return grouped(i / 1'000'000) + "M";
        if (step % 1'000 == 0) return grouped(i / 1'000) + "k";
        return grouped(i);
    }
};

void draw_axes(picture& p, int left, int top, const axis& rows, const axis& columns) {
    p.frame(left, top, columns.pixels, rows.pixels, frame_colour);
    const ticks across = ticks::across(columns), down = ticks::down(rows);
    for (offset_t j = 0; j < columns.size; j += across.step) {
        const int x = left + columns.middle(j), width = picture::text_width(across.label(j));
        p.fill(x, top - 1 - tick_length, 1, tick_length, frame_colour);
        p.text(x - width / 2, top - tick_length - 4 - picture::text_height, across.label(j), ink);
    }
    for (offset_t i = 0; i < rows.size; i += down.step) {
        const int y = top + rows.middle(i), width = picture::text_width(down.label(i));
        p.fill(left - 1 - tick_length, y, tick_length, 1, frame_colour);
        p.text(left - tick_length - 6 - width, y - picture::text_height / 2, down.label(i), ink);
    }
}

std::string share(double density) {
    if (density >= 1) return "full";
    if (density >= 0.1) return fmt::format("{}%", std::min(99L, std::lround(100 * density)));
    return "1 in " + grouped(std::llround(1 / density));
}

// What the shades stand for: nothing, one shade or a range of them.
struct legend {
    static constexpr int box = 22, bar = 180;
    std::string lowest, highest;
    bool needed;

    legend(const block_counts& b, const density_range& range)
        : lowest(range.lowest < range.highest ? share(range.lowest) : ""),
          highest(share(range.highest)),
          needed(!range.none() && !(b.rows.cells() && b.columns.cells())) {}
    int bar_width() const { return lowest.empty() ? box : bar; }
    int width() const {
        if (!needed) return 0;
        const int low = lowest.empty() ? 0 : picture::text_width(lowest) + gap;
        return box + gap + picture::text_width("none") + 3 * gap + low + bar_width() + gap +
               picture::text_width(highest);
    }
    void draw(picture& p, int x, int y) const {
        constexpr int height = picture::text_height;
        p.frame(x, y, box, height, frame_colour);
        p.text(x += box + gap, y, "none", ink);
        p.text(x += picture::text_width("none") + 3 * gap, y, lowest, ink);
        if (!lowest.empty()) x += picture::text_width(lowest) + gap;
        for (int k = 0; k < bar_width(); ++k)
            p.fill(x + k, y, 1, height, shade(lowest.empty() ? 1 : k / (bar - 1.0)));
        p.frame(x, y, bar_width(), height, frame_colour);
        p.text(x + bar_width() + gap, y, highest, ink);
    }
};

picture plot(const context& ctx, const matrix& a, int pixels) {
    const auto [rows, columns] = axes_of(a, pixels);
    const block_counts blocks = count_blocks(ctx, a.body().rows(), rows, columns);
    const density_range range(blocks);
    const legend shades_legend(blocks, range);
    const std::string title = fmt::format("{} x {}, {} {}", grouped(a.rows()), grouped(a.columns()),
                                          grouped(a.nnz()), a.nnz() == 1 ? "entry" : "entries");
    const ticks down = ticks::down(rows);
    int label = 0;
    for (offset_t i = 0; i < rows.size; i += down.step)
        label = std::max(label, picture::text_width(down.label(i)));
    const int left = margin + label + tick_length + 6;
    const int top = margin + picture::text_height + 2 * gap + picture::text_height + tick_length + 4;
    const int foot = shades_legend.needed ? 2 * gap + picture::text_height : 0;
    const int content = std::max({columns.pixels, picture::text_width(title), shades_legend.width()});
    picture p(left + content + 2 * margin, top + rows.pixels + foot + margin, white);
    p.text(left, margin, title, ink);
    draw_blocks(p, left, top, blocks, range);
    draw_axes(p, left, top, rows, columns);
    if (shades_legend.needed) shades_legend.draw(p, left, top + rows.pixels + 2 * gap);
    return p;
}

}  // namespace
}  // namespace io

void save_spy(const context& ctx, const matrix& a, std::string_view path, int pixels) {
    require<domain_error>(pixels >= 16 && pixels <= 16384, "a spy plot of {} pixels: choose 16 to 16384",
                          pixels);
    io::output_file file{std::string(path)};
    const std::vector<std::uint8_t> bytes = io::plot(ctx, a, pixels).png();
    file.write({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    file.commit();
}

}  // namespace nz
