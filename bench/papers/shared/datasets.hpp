// The matrices that dalton2015 and matam2012 measure (the fourteen of Williams and others, and nine of SNAP), and ours of
// their classes: the paper's own file where this machine has it, else a generated one of its size and row lengths. Blocks on a
// mesh of 27 neighbours stand for finite elements.
#pragma once

#include "inputs.hpp"
#include "suites.hpp"

#include <span>

namespace nz::bench::papers {

struct dataset {
    const char* paper;       ///< its name there
    const char* kind;        ///< of its entries
    double rows, per_row;    ///< there
    const char* source;      ///< of its size
    const char* of_product;  ///< ... or smaller, so that A * A takes seconds at most on a small machine
    const char* real;        ///< the file that is taken for of_product where it is there; null: none
};
std::span<const dataset> williams();
std::span<const dataset> snap();

/// A matrix to measure. `paper` is empty where the caller named it.
struct input {
    std::string paper, source, name;
};
enum class size : unsigned char { full, of_product };
/// The caller's inputs; else a few small ones with --quick; else the set, at this size.
std::vector<input> inputs_of(const options& o, std::span<const dataset> set, size which);
/// One line for each: the paper's matrix and ours.
void print_stand_ins(const std::vector<input>& inputs, std::span<const dataset> set);

}  // namespace nz::bench::papers
