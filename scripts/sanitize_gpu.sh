#!/usr/bin/env bash
# The named small battery under compute-sanitizer: scripts/sanitize_gpu.sh BIN [TOGETHER], where BIN holds the test programs and nz
# and so many runs go side by side (4). initcheck leaves out copies to the host: absent places of a bitmap have no value.
set -u
bin=${1:?usage: scripts/sanitize_gpu.sh FOLDER_OF_PROGRAMS [TOGETHER]}
together=${2:-4}
logs=$(mktemp -d)
trap 'rm -rf "$logs"' EXIT
runs=0
check() {  # tool, seconds that the run would take alone at most, words...
    while [ "$(jobs -rp | wc -l)" -ge "$together" ]; do wait -n; done
    runs=$((runs + 1))
    run "$logs/$runs" "$@" &
}
run() {  # log, tool, seconds, words...
    local log=$1
    shift
    local tool=$1 seconds=$2
    shift 2
    local extra=()
    [ "$tool" = initcheck ] && extra=(--check-api-memory-access no)
    if timeout "$((2 * seconds))" compute-sanitizer --tool "$tool" "${extra[@]}" --error-exitcode 9 "$@" >"$log" 2>&1; then
        echo "clean    $tool: ${*##*/}"
    else
        local status=$?
        touch "$log.failed"
        echo "NOT CLEAN (status $status) $tool: ${*##*/}
$(grep -m 5 -E "=========|FAILED|nz:" "$log")"
    fi
}
matvec='*EveryKernelAgreesWithTheModelOverTheBattery/plus_times_float64:MxvOnDevice.APlanned*:MxvOnDevice.Results*:MxvOnDevice.Scattered*:MxvFewOnDevice.OfOneRow*:MxvFewOnDevice.More*:MxvFewOnDevice.Obey*'
joins='EwiseOnDevice.Long*:EwiseOnDevice.Stretches*:EwiseOnDevice.Nearly*:EwiseOnDevice.Repeats*:EwiseOnDevice.Results*'
dense='MxdOnDevice.Keeps*:MxdResident.IsConverted*:SddmmOnDevice.OperandsInItsMemoryAgree*:MxdOnDevice.Operands*:MxdOnDevice.Transposes*:DenseProducts.Few*'
pinned='Ids/PinnedOnDevice.Without*:*PinnedOnDevice.ProductsThatFill*:SddmmOnDevice.Keeps*:SddmmOnDevice.Operands*'
built='BuildOnDevice.Of*:BuildOnDevice.Rows*:BuildOnDevice.Columns*:BuildOnDevice.Says*'
resident='MxmOnDevice.DotProductsOfLong*:MxmPatternOnDevice.Other*:MatrixOnDevice.Arrays*:MatrixOnDevice.Rows*:MatrixOnDevice.Products*:MatrixOnDevice.Invalidate*:MatrixOnDevice.Kept*:MxmOnDevice.Masks*'
turned='TransposeOnDevice.Few*:TransposeOnDevice.Bands*:TransposeOnDevice.Columns*Very*:TransposeOnDevice.Rows*'
parts='MxmStripsOnDevice.Masks*:MxmStripsOnDevice.Iso*:MxmStripsOnDevice.Neighbours*:CopiesOnDevice.OfSeveral*'
searches='SsspOnDevice.OfAFew*:SsspOnDevice.*Refuses*:BfsShapes.ParentsAt*:Graphs/Bfs.EachPhaseOfTilesAlone*/Grid:Betweenness.QueuesLeave*:Betweenness.Hubs*'
words='*VectorWordsOnDevice.Reduce*/float64:*VectorWordsOnDevice.Join*/int32:*VectorWordsOnDevice.Select*/float32:SelectRising*:StoredDiagonals*:PagerankStep.Leaves*'
written='SelectOnDevice.Masks*:SelectOnDevice.Leaves*:WriteBackOnDevice.Results*:MatrixWords.One*'
lying='MatrixOnDevice.Facts*:MatrixOnDevice.APermutation*:MatrixOnDevice.ResultsShare*:VectorsOnDevice*:Spmv.Scales*:SelectOnDevice.KeepsPlaces*'
placed='ApplyPlaces.NumbersOfAVector*:SelectRows.GoesOver*:ExtractRows.TakesRows*:AssignRows.Lets*:VectorPlaces.Have*:Kronecker.OfLong*:ReduceRows.IsTheSame*:*StandIns.OfProductsWith*/float32:*StandIns.OfProductsOf*/uint8:SelectRows.ByValue*:ComposedProducts.AreTheSame*:ComposedProducts.OfNothing*:MxdComposedOnAGpu*'
for tool in memcheck synccheck initcheck; do
    check $tool 200 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$turned:$built:$parts"
    check $tool 60 "$bin/nz" bfs rmat:12,16 --switches all,duplicates --backend cuda --validate
    check $tool 60 "$bin/nz" bfs rmat:8,8 --backend cuda --validate
    check $tool 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$matvec:*any_second_int32"
    check $tool 200 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$joins:$dense:$resident"
    check $tool 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$pinned"
    check $tool 60 "$bin/nz" spgemm rmat_directed:9,8 --backend cuda --validate
    check $tool 60 "$bin/nz" spgemm lp:10,3000,20000 --kernel hash --backend cuda --validate
    # rows that are sorted by digits, and tables in device memory
    check $tool 60 "$bin/nz" spgemm lp:12,3000,3000 lp:3000,2000000,60000 --kernel hash --backend cuda --validate
    check $tool 60 "$bin/nz" spgemm rmat_directed:9,8 --kernel two_level_sort --backend cuda --validate
    check $tool 60 "$bin/nz" spgemm banded:3000,21 --kernel dia_dia --backend cuda --validate
    check $tool 60 "$bin/nz" spgemm rmat_directed:9,8 --hybrid --backend cuda --validate
    check $tool 60 "$bin/nz" spgemm banded:300,21 --backend cuda --validate
    check $tool 60 "$bin/nz" bfs rmat:12,16 --backend cuda --validate
    check $tool 60 "$bin/nz" bfs rmat_directed:11,8 --backend cuda --validate
    check $tool 60 "$bin/nz" bfs grid2d:16,0.1 --backend cuda --validate
    check $tool 60 "$bin/nz" bfs grid2d:120 --kernel tile --backend cuda --validate
    check $tool 60 "$bin/nz" bfs rmat:18,4 --backend cuda --fast --validate
    check $tool 60 "$bin/nz" bfs rmat:18,4 --backend cuda --validate
    # a pull from 498 vertices, which asks the filter
    check $tool 60 "$bin/nz" bfs rmat:18,4 --source 12000 --backend cuda --fast --validate
    check $tool 150 "$bin/nonzero_algorithms_tests" --gtest_brief=1 --gtest_filter="$searches"
    check $tool 60 "$bin/nz" bfs rmat:12,16 --backend cuda --fast --validate
    check $tool 60 "$bin/nz" bfs rmat:9,8 --backend cuda --sources-random 64 --validate
    # a hundred levels, whose finds fill the planes again and again, or are written at once; few sources, which do both in turn
    check $tool 60 "$bin/nz" bfs banded:300,3 --backend cuda --sources-random 64 --validate
    check $tool 60 "$bin/nz" bfs banded:301,3 --backend cuda --sources-random 9 --validate
    check $tool 60 "$bin/nz" bfs uniform:1501,1 --backend cuda --sources-random 3 --validate
    check $tool 60 "$bin/nz" bfs laplace3d:9 --kernel tile --backend cuda --validate
    check $tool 60 "$bin/nz" bfs grid2d:40,0.2 --kernel tile --tile-size 64 --tile-least 40 --backend cuda --validate
    check $tool 60 "$bin/nz" bfs laplace3d:30 --kernel tile --tile-size 32 --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nz" bfs random:9000,3 --kernel tile --tile-size 32 --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nz" bfs laplace3d:30 --kernel tile --tile-size 64 --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$words"
    check $tool 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$written"
    check $tool 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$placed"
    check $tool 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$lying"
    for input in laplace3d:9 dense:70,600; do
        check $tool 60 "$bin/nz" spmv $input --kernel dia_slice --backend cuda --repeat 1 --validate
    done
    check $tool 60 "$bin/nz" spmv rmat_directed:14,4 --kernel csr_ranked --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nz" spmv random:30000,4 --kernel csr_binned --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nz" spmv dense:3,30000 --kernel csr_binned --backend cuda --repeat 1 --validate
    check $tool 60 "$bin/nz" cc rmat_directed:11,2 --backend cuda --validate
    check $tool 60 "$bin/nz" bc rmat:10,8 --sources-random 40 --backend cuda --validate
    check $tool 60 "$bin/nz" bc rmat_directed:9,4 --sources-random 3 --backend cuda --validate
    check $tool 60 "$bin/nz" tc rmat:10,16 --backend cuda --validate
    check $tool 60 "$bin/nz" pagerank rmat_directed:10,4 --backend cuda --validate
    check $tool 60 "$bin/nz" pagerank grid2d:40,0.3 --backend cuda --validate
    check $tool 60 "$bin/nz" sssp rmat:9,8 --weights uniform:1,255 --backend cuda --validate
    for verb in mis kcore ktruss; do check $tool 60 "$bin/nz" $verb rmat:7,6 --backend cuda --validate; done
    for verb in cdlp scc closeness; do check $tool 60 "$bin/nz" $verb rmat_directed:8,4 --backend cuda --validate; done
done
# racecheck looks at shared memory: the kernels that use it, on little. Tile searches in one block it takes for racing, by its own error with
# named barriers (docs/measurements/bfs.md).
check racecheck 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter='MxvOnDevice.APlanned*:MxvOnDevice.Results*:MxvFewOnDevice.OfOneRow*:MxvFewOnDevice.Obey*'
check racecheck 120 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$dense"
check racecheck 60 "$bin/nz" spgemm rmat_directed:9,8 --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm lp:10,3000,20000 --kernel hash --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm lp:12,3000,3000 lp:3000,2000000,60000 --kernel hash --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm lp:4,9000,20000 --transpose-b --mask dense:4,4 --kernel masked_dot --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm banded:300,21 --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm rmat_directed:9,8 --kernel two_level_sort --backend cuda --repeat 1
check racecheck 60 "$bin/nz" spgemm banded:3000,21 --kernel dia_dia --backend cuda --repeat 1
check racecheck 60 "$bin/nz" bc rmat:10,8 --sources-random 40 --backend cuda --validate
check racecheck 60 "$bin/nonzero_algorithms_tests" --gtest_brief=1 --gtest_filter='Betweenness.QueuesLeave*'
check racecheck 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter='StoredDiagonals*Like*:PagerankStep.Leaves*'
check racecheck 60 "$bin/nz" pagerank grid2d:40,0.3 --backend cuda --validate
check racecheck 60 "$bin/nz" spmspv rmat:9,8 --kernel tile_row --density 0.1 --backend cuda --validate
check racecheck 60 "$bin/nz" spmspv rmat:9,8 --kernel tile_column --density 0.1 --backend cuda --validate
check racecheck 60 "$bin/nz" spmv dense:70,600 --kernel dia_slice --backend cuda --repeat 1 --validate
check racecheck 60 "$bin/nz" spmv rmat_directed:11,4 --kernel csr_ranked --backend cuda --repeat 1 --validate
check racecheck 60 "$bin/nz" spmv random:15000,4 --kernel csr_binned --backend cuda --repeat 1 --validate
check racecheck 60 "$bin/nz" tc rmat:10,16 --backend cuda --validate
check racecheck 60 "$bin/nz" cc rmat_directed:11,2 --backend cuda --validate
check racecheck 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter='*VectorWordsOnDevice.Reduce*/float64'
check racecheck 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$written"
check racecheck 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$placed"
check racecheck 60 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter="$lying"
check racecheck 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter='TransposeOnDevice.Few*'
check racecheck 100 "$bin/nonzero_conformance_tests" --gtest_brief=1 --gtest_filter='BuildOnDevice.OfOneValue*:BuildOnDevice.Columns*'
check racecheck 60 "$bin/nz" bfs rmat:8,8 --backend cuda --validate
check racecheck 60 "$bin/nz" spadd rmat_directed:10,8 --backend cuda --repeat 1
check racecheck 60 "$bin/nz" bfs rmat:12,16 --backend cuda --validate
check racecheck 100 "$bin/nz" bfs rmat_directed:11,8 --backend cuda --validate
check racecheck 60 "$bin/nz" bfs rmat:12,16 --backend cuda --fast --validate
check racecheck 60 "$bin/nz" bfs laplace3d:9 --kernel tile --backend cuda --repeat 1 --validate
check racecheck 60 "$bin/nz" bfs laplace3d:16 --kernel tile --tile-size 32 --backend cuda --repeat 1 --validate
check racecheck 60 "$bin/nonzero_algorithms_tests" --gtest_brief=1 --gtest_filter='BfsShapes.ParentsAt*'
check racecheck 60 "$bin/nz" bfs rmat:12,16 --switches all,duplicates --backend cuda --validate
check racecheck 60 "$bin/nz" bfs rmat:9,8 --backend cuda --sources-random 64 --validate
# the tool takes some 3 s a round: five rounds
check racecheck 60 "$bin/nz" sssp dense:40,40 --weights uniform:1,9 --backend cuda --validate
check racecheck 60 "$bin/nz" bfs rmat:18,4 --backend cuda --fast --validate
check racecheck 60 "$bin/nz" bfs rmat:18,4 --source 12000 --backend cuda --fast --validate
wait
not_clean=$(find "$logs" -name '*.failed' | wc -l)
echo "$runs runs, $not_clean not clean"
[ "$not_clean" = 0 ]
