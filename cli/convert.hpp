// Writing an input to a file, for nz convert and nz generate.
#pragma once

#include "options.hpp"

#include <string_view>

namespace nz::cli {

int convert_input(std::string_view verb, const settings& s);

}  // namespace nz::cli
