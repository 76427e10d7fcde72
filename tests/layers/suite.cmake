# The sources keep to the layers, and the scan that says so does notice a wrong arrow.
add_test(NAME layers.sources COMMAND Python3::Interpreter "${CMAKE_SOURCE_DIR}/scripts/check_layers.py" "${CMAKE_SOURCE_DIR}")
add_test(NAME layers.scan_notices COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/layers/test_check_layers.py")
add_test(NAME docs.record_schema COMMAND Python3::Interpreter "${CMAKE_CURRENT_SOURCE_DIR}/layers/test_record_schema.py")
set_tests_properties(layers.sources layers.scan_notices docs.record_schema PROPERTIES LABELS unit TIMEOUT 60)
