// The steps of betweenness/batched on a GPU; the essay is in the .cu file.
#pragma once

#include "kernels/betweenness_arguments.hpp"

namespace nz::kernels::cuda {

void betweenness_start(const betweenness_arguments& k, const betweenness_level& sources, void* stream);
void betweenness_push(const betweenness_arguments& k, const betweenness_level& from, void* stream);
void betweenness_pull(const betweenness_arguments& k, void* stream);
void betweenness_keep(const betweenness_arguments& k, const betweenness_level& to, void* stream);
void betweenness_count(const betweenness_arguments& k, const betweenness_level& to, void* stream);
void betweenness_clear(const betweenness_arguments& k, const betweenness_level& of, void* stream);
void betweenness_mark(const betweenness_arguments& k, const betweenness_level& of, void* stream);
void betweenness_back(const betweenness_arguments& k, const betweenness_level& of, void* stream);

}  // namespace nz::kernels::cuda
