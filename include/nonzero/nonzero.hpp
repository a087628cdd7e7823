// Everything public. Plain C++20: users of the GPU need no nvcc.
#pragma once

#include "nonzero/algebra.hpp"
#include "nonzero/algorithms.hpp"
#include "nonzero/context.hpp"
#include "nonzero/dia.hpp"
#include "nonzero/errors.hpp"
#include "nonzero/io.hpp"
#include "nonzero/matrix.hpp"
#include "nonzero/operations.hpp"
#include "nonzero/plan.hpp"
#include "nonzero/reorder.hpp"
#include "nonzero/shortest.hpp"
#include "nonzero/types.hpp"
#include "nonzero/vector.hpp"
#include "nonzero/views.hpp"
