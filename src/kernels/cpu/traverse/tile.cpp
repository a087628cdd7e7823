// traverse/tile: breadth-first search over bit tiles, 32 or 64 vertices at a time (TileBFS, ji2022, 3.4).
//
// Frontier, visited set and finds are bitmaps in words of the tiles' size; the frontier's non-empty words are listed beside.
// Each level takes one of three phases (plan/tile_phase.hpp), the extracted entries of its tile rows in the same sweep:
//   push_csc: every frontier word goes through the tiles of its tile row, unites the words of the rows that are in the
//     frontier and gives what is not visited to the finds of the tile's column.
//   push_csr: every tile row with unvisited vertices goes through those of its tiles (of A's columns) whose frontier word is
//     not empty; an unvisited vertex whose row meets it is found and not asked again.
//   pull_csc: the tile rows with unvisited vertices are listed; each goes through its tiles up to the first visited neighbour
//     of every vertex. The visited set stands for the frontier: visited neighbours of an unvisited vertex are in it.
// The paper takes a vertex at a time in pull_csc; here those of a tile row share the look at each header. A header says which columns its
//   tile reaches: where all of these are visited a push reads no word, nor a push of all its rows or a pull that has all its columns.
// Then the finds become visited, get their level, and are the next frontier. Parents come last, in one pass over the CSR of A's
//   columns: the first neighbour one level up, which is the smallest, as neighbours ascend.
// Who owns what: push_csc: threads share the frontier's words and set finds by atomic or; the one that makes a word non-empty
//   lists it. push_csr and pull_csc: a thread alone has a tile row. Parents: a thread alone has a vertex.
// Synchronisation: a join after each phase; levels of little work are done by one thread.
// Memory: beside the tiles three bitmaps and three lists of words (plan::tile_workspace), 5/8 byte a vertex.
// Determinism: levels and parents are the same for any number of threads; the order of the lists is not.
// Cost: push_csc: tiles in the tile rows of the frontier's words, and words of the frontier's vertices. push_csr: tiles in the
//   tile rows of unvisited vertices, and words of these up to the first hit. Parents: neighbours up to the first one level up.
// Distance to the limit: docs/measurements/tiles.md. On a grid by rows a look at a tile costs about 10 ns (a header, a word of each
//   bitmap, two branches that go either way) and serves one or two edges, as a front has one vertex a word: push_pull_fused
//   takes 0.4 times as long. On a band of 21 the same look serves a word's front at once: 0.2 ns an entry, a seventh of
//   push_pull_fused without parents; the parents' pass is then the larger part.
// AVX-512, where the machine has it: words of a tile eight or sixteen at a time (common_words.hpp).
// Why push_pull_fused was not enough: it reads 4 bytes and tests a bit for each edge, also where 64 neighbours are one word.
#include "kernels/cpu/traverse/tile.hpp"

#include "core/parallel.hpp"
#include "kernels/cpu/traverse/common_words.hpp"
#include "plan/traverse.hpp"
#include "storage/bit_tiles.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <type_traits>
#include <utility>

namespace nz::kernels::cpu {
namespace {

constexpr offset_t push_parallel_from =
    16384;  // tiles in the frontier's tile rows: some 150 us, which a second thread must be worth
constexpr offset_t push_turn = 16;               // frontier words a thread takes at a time
constexpr offset_t rows_parallel_from = 1024;    // tile rows, for push_csr and pull_csc
constexpr offset_t rows_turn = 64;               // tile rows a thread takes at a time
constexpr offset_t levels_parallel_from = 2048;  // words of finds
constexpr offset_t parents_turn = 4096;          // vertices a thread takes at a time

// The words that become non-empty, kept by one thread until there are enough to share.
class word_list {
public:
    word_list(index_t* to, std::atomic<offset_t>& count) : to_(to), count_(count) {}
    ~word_list() { std::copy_n(held_, size_, to_ + count_.fetch_add(size_, std::memory_order_relaxed)); }
    word_list(const word_list&) = delete;
    void add(index_t w) {
        if (size_ == room) {
            std::copy_n(held_, size_, to_ + count_.fetch_add(size_, std::memory_order_relaxed));
            size_ = 0;
        }
        held_[size_++] = w;
    }

private:
    static constexpr offset_t room = 128;
    index_t* to_;
    std::atomic<offset_t>& count_;
    offset_t size_ = 0;
    index_t held_[room];
};

template <class Word, bool Wide>
class search {
public:
    explicit search(const tile_arguments& arguments)
        : a_(arguments), words_((offset_t{arguments.vertices} + size - 1) / size), out_(a_.out), in_(a_.in) {
        plan::workspace_parts memory(a_.workspace);
        for (Word** map : {&visited_, &frontier_, &next_}) *map = memory.take<Word>(words_);
        for (index_t** list : {&list_, &next_list_, &open_list_}) *list = memory.take<index_t>(words_);
    }

    traverse_totals run() {
        initialise();
        offset_t found = 1, reached = 1;
        while (found > 0 && (a_.max_depth < 0 || depth_ < a_.max_depth)) {
            const offset_t unvisited = a_.vertices - reached;
            const auto choice = plan::choose_tile_phase(found, unvisited, a_.vertices, a_.thresholds);
            ++depth_;
            next_count_ = 0;
            if (choice.phase == plan::tile_phase::push_csc)
                push_csc();
            else if (choice.phase == plan::tile_phase::push_csr)
                push_csr();
            else
                pull_csc();
            const offset_t size_before = std::exchange(found, take_finds());
            reached += found;
            if (a_.on_level)
                a_.on_level(
                    a_.receiver,
                    {choice.phase == plan::tile_phase::push_csc ? direction::push : direction::pull,
                     plan::name_of(choice.phase), size_before, unvisited, choice.ratio, choice.reason});
        }
        if (a_.parents) find_parents();
        return {reached, count_edges()};
    }

private:
    static constexpr int size = static_cast<int>(sizeof(Word) * 8);
    using header = storage::tile_header<Word>;

    struct tiles {
        explicit tiles(const bit_tile_arrays& t)
            : ranges(t.tile_ranges),
              headers(static_cast<const header*>(t.headers)),
              words(static_cast<const Word*>(t.words)),
              extracted_ranges(t.extracted_ranges),
              extracted_rows(t.extracted_rows),
              extracted_columns(t.extracted_columns),
              count(t.tiles) {}
        const storage::tile_range* ranges;
        const header* headers;
        const Word* words;
        const storage::tile_range* extracted_ranges;
        const std::uint8_t* extracted_rows;
        const index_t* extracted_columns;
        offset_t count;
    };

    static Word bit(offset_t i) { return Word{1} << (i % size); }

    void initialise() {
        parallel::for_pieces(a_.threads, a_.vertices, [&](offset_t begin, offset_t end) {
            std::fill(a_.levels + begin, a_.levels + end, -1);
        });
        for (Word* map : {visited_, frontier_, next_}) std::fill_n(map, words_, Word{0});
        if (a_.vertices % size != 0)  // what lies behind the last vertex counts as visited
            visited_[words_ - 1] = static_cast<Word>(~(bit(a_.vertices) - 1));
        visited_[a_.source / size] |= bit(a_.source);
        frontier_[a_.source / size] = bit(a_.source);
        a_.levels[a_.source] = 0;
        list_[0] = a_.source / size;
        list_count_ = 1;
    }

    // From the frontier's words through the tiles of their tile rows.
    void push_csc() {
        const offset_t tiles_a_word = out_.count / words_ + 1;
        if (list_count_ * tiles_a_word < push_parallel_from || a_.threads == 1) {
            offset_t count = 0;
            for (offset_t q = 0; q < list_count_; ++q)
                push_word(list_[q], [&](index_t w, Word found) {
                    if (!next_[w]) next_list_[count++] = w;
                    next_[w] |= found;
                });
            next_count_ = count;
            return;
        }
        std::atomic<offset_t> turn{0};
        parallel::run(a_.threads, [&](int, int) {
            word_list mine(next_list_, next_count_);
            for (offset_t q; (q = turn.fetch_add(push_turn, std::memory_order_relaxed)) < list_count_;)
                for (offset_t k = q; k < std::min(q + push_turn, list_count_); ++k)
                    push_word(list_[k], [&](index_t w, Word found) {
                        const std::atomic_ref<Word> shared(next_[w]);
                        if ((shared.load(std::memory_order_relaxed) & found) == found) return;
                        if (!shared.fetch_or(found, std::memory_order_relaxed)) mine.add(w);
                    });
        });
    }

    // Calls add(word, found) for each word with unvisited neighbours of the frontier's vertices in word `w`.
    template <class F>
    void push_word(index_t w, F&& add) const {
        const Word members = frontier_[w];
        for (std::uint32_t t = out_.ranges[w].begin; t < out_.ranges[w].end; ++t) {
            const header& h = out_.headers[t];
            const Word rows = h.occupied & members, open = h.reach & ~visited_[h.column];
            if (!rows || !open) continue;
            const Word all = rows == h.occupied
                                 ? h.reach
                                 : tile_words<Word, Wide>::union_of(out_.words + h.start, h.occupied, rows),
                       found = all & open;
            if (found) add(static_cast<index_t>(h.column), found);
        }
        for (std::uint32_t k = out_.extracted_ranges[w].begin; k < out_.extracted_ranges[w].end; ++k) {
            const index_t v = out_.extracted_columns[k];
            if (!(members >> out_.extracted_rows[k] & 1) || visited_[v / size] & bit(v)) continue;
            add(v / size, bit(v));
        }
    }

    // Every tile row with unvisited vertices through those of its tiles that the frontier meets.
    void push_csr() {
        std::atomic<offset_t> turn{0};
        parallel::run(words_ < rows_parallel_from ? 1 : a_.threads, [&](int, int) {
            word_list mine(next_list_, next_count_);
            for (offset_t w; (w = turn.fetch_add(rows_turn, std::memory_order_relaxed)) < words_;)
                for (offset_t k = w; k < std::min(w + rows_turn, words_); ++k)
                    gather(static_cast<index_t>(k), frontier_, mine);
        });
    }

    // The words with unvisited vertices through their tiles, up to the first visited neighbour of each: those of unvisited
    // vertices are in the frontier.
    void pull_csc() {
        const bool listed = open_count_ >= 0;
        const offset_t looked_at = listed ? open_count_ : words_;
        open_count_ = 0;
        for (offset_t q = 0; q < looked_at; ++q) {
            const index_t w = listed ? open_list_[q] : static_cast<index_t>(q);
            if (static_cast<Word>(~visited_[w])) open_list_[open_count_++] = w;
        }
        std::atomic<offset_t> turn{0};
        parallel::run(open_count_ < rows_parallel_from ? 1 : a_.threads, [&](int, int) {
            word_list mine(next_list_, next_count_);
            for (offset_t q; (q = turn.fetch_add(rows_turn, std::memory_order_relaxed)) < open_count_;)
                for (offset_t k = q; k < std::min(q + rows_turn, open_count_); ++k)
                    gather(open_list_[k], visited_, mine);
        });
    }

    // The unvisited vertices of word `w` with a neighbour in `operand`, into the next frontier.
    void gather(index_t w, const Word* operand, word_list& finds) const {
        const Word unvisited = ~visited_[w];
        Word open = unvisited;
        for (std::uint32_t t = in_.ranges[w].begin; open && t < in_.ranges[w].end; ++t) {
            const header& h = in_.headers[t];
            const Word x = operand[h.column] & h.reach, rows = h.occupied & open;
            if (!x || !rows) continue;
            open &= ~(x == h.reach ? rows
                                   : tile_words<Word, Wide>::hits(in_.words + h.start, h.occupied, rows, x));
        }
        for (std::uint32_t k = in_.extracted_ranges[w].begin; open && k < in_.extracted_ranges[w].end; ++k) {
            const index_t u = in_.extracted_columns[k];
            if (operand[u / size] & bit(u)) open &= ~bit(in_.extracted_rows[k]);
        }
        if (open == unvisited) return;
        next_[w] = unvisited & ~open;
        finds.add(w);
    }

    // The finds get their level and are the frontier; returns how many they are.
    offset_t take_finds() {
        for (offset_t q = 0; q < list_count_; ++q) frontier_[list_[q]] = 0;
        std::swap(frontier_, next_);
        std::swap(list_, next_list_);
        list_count_ = next_count_;
        std::atomic<offset_t> found{0};
        parallel::for_pieces(
            a_.threads, list_count_,
            [&](offset_t begin, offset_t end) {
                offset_t mine = 0;
                for (offset_t q = begin; q < end; ++q) {
                    const index_t w = list_[q];
                    visited_[w] |= frontier_[w];
                    mine += std::popcount(frontier_[w]);
                    std::int32_t* const levels = a_.levels + offset_t{w} * size;
                    for (Word rest = frontier_[w]; rest; rest &= rest - 1)
                        levels[std::countr_zero(rest)] = depth_;
                }
                found += mine;
            },
            1, levels_parallel_from);
        return found;
    }

    // The smallest neighbour one level up: the first, as neighbours ascend. Level 0 is the source, whatever stands before it in a row.
    void find_parents() const {
        parallel::for_chunks(a_.threads, a_.vertices, parents_turn, [&](offset_t begin, offset_t end) {
            for (offset_t v = begin; v < end; ++v) {
                const std::int32_t above = a_.levels[v] - 1;
                a_.parents[v] = above < 0 ? -1 : a_.source;
                if (above <= 0) continue;
                offset_t k = a_.in_offsets[v];
                while (a_.levels[a_.in_neighbours[k]] != above) ++k;
                a_.parents[v] = a_.in_neighbours[k];
            }
        });
        a_.parents[a_.source] = a_.source;
    }

    // The entries in the rows of all visited vertices.
    offset_t count_edges() const {
        offset_t edges = 0;
        for (offset_t w = 0; w < words_; ++w) {
            const offset_t first = w * size, end = std::min<offset_t>(first + size, a_.vertices);
            if (visited_[w] == static_cast<Word>(~Word{0}))
                edges += a_.out_offsets[end] - a_.out_offsets[first];
            else
                for (offset_t v = first; v < end; ++v)
                    if (visited_[w] & bit(v)) edges += a_.out_offsets[v + 1] - a_.out_offsets[v];
        }
        return edges;
    }

    const tile_arguments& a_;
    const offset_t words_;
    const tiles out_, in_;
    Word *visited_, *frontier_, *next_;
    index_t *list_, *next_list_,
        *open_list_;  // words with members of the frontier, the next one; with unvisited vertices
    offset_t list_count_ = 0, open_count_ = -1;
    std::atomic<offset_t> next_count_{0};
    std::int32_t depth_ = 0;
};

}  // namespace

traverse_totals tile(const tile_arguments& arguments) {
    const auto run = [&]<class Word>(std::type_identity<Word>) {
        return has_wide_words() ? search<Word, true>(arguments).run() : search<Word, false>(arguments).run();
    };
    return arguments.size == 64 ? run(std::type_identity<std::uint64_t>{})
                                : run(std::type_identity<std::uint32_t>{});
}

}  // namespace nz::kernels::cpu
