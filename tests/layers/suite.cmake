# The sources keep to the layers, the documents to the sources; and the scan that says so does notice a wrong arrow.
function(gpuadapt_tree_test name)
    add_test(NAME ${name} COMMAND Python3::Interpreter ${ARGN})
    set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT 60 ENVIRONMENT "PYTHONDONTWRITEBYTECODE=1")
endfunction()

set(here "${CMAKE_CURRENT_SOURCE_DIR}/layers")
gpuadapt_tree_test(layers.sources "${CMAKE_SOURCE_DIR}/scripts/check_layers.py" "${CMAKE_SOURCE_DIR}")
gpuadapt_tree_test(layers.scan_notices "${here}/test_check_layers.py")
gpuadapt_tree_test(docs.schemas "${here}/test_schemas.py")
gpuadapt_tree_test(docs.documents "${here}/test_documents.py")
