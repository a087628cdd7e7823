"""Sparse matrices and graphs over any semiring, on NVIDIA GPUs and on CPUs.

>>> import nonzero as nz
>>> graph = nz.load("grid2d:100")
>>> search = nz.bfs(graph, 0)
>>> search.reached, int(search.levels.max())
(10000, 198)

Matrices come from files and generators (load), from SciPy, NumPy or NetworkX (from_scipy, from_coo, from_networkx) and
go back without copies where the layout allows (to_scipy, Matrix.csr_arrays). Operations have GraphBLAS meaning; each
returns its result, whose `plan` says in one line what was chosen to compute it.
"""

from . import _arguments, _operators, errors
from ._context import Context, default_context, set_default_context
from ._convert import (
    build,
    dense,
    from_coo,
    from_csr,
    from_edges,
    from_networkx,
    from_scipy,
    from_torch,
    full,
    generators,
    load,
    load_graph,
    load_vector,
    save,
    spy,
    to_cupy,
    to_scipy,
    to_torch,
    with_random_weights,
)
from ._core import DiaMatrix, Matrix, MxmPattern, Vector, __version__, semiring_names
from ._dense import mxd, sddmm
from ._algorithms import BfsManyResult, BfsResult, SsspResult, bfs, bfs_many, sssp
from ._operations import (
    apply,
    assign,
    assign_column,
    assign_row,
    diag,
    diagonal,
    difference,
    ewise_add,
    ewise_mult,
    extract,
    extract_column,
    isequal,
    kronecker,
    mxm,
    mxv,
    reduce,
    reduce_rows,
    select,
    symmetric_difference,
    transpose,
    vxm,
)
from ._plan import Plan
from ._products import HybridProduct, MxmEstimate, estimate_mxm, find_pattern, mxm_hybrid, spmv
from ._reorder import order, permute, restore
from ._structure import (
    ClosenessResult,
    ClosureResult,
    ColouringResult,
    IndependentSetResult,
    MarkovResult,
    MatchingResult,
    PropagationResult,
    StrongComponentsResult,
    TrussResult,
    closeness,
    colouring,
    independent_set,
    label_propagation,
    markov_clustering,
    matching,
    strong_components,
    transitive_closure,
    truss,
)
from ._vertices import (
    BetweennessResult,
    ComponentsResult,
    CoresResult,
    PagerankResult,
    TrianglesResult,
    betweenness,
    components,
    cores,
    pagerank,
    triangles,
)
from .errors import Error

for _class in (Context, DiaMatrix, Matrix, Vector):
    _arguments.explain_methods(_class)

__all__ = [name for name in dir() if not name.startswith("_")]
