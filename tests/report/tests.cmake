# The report's tests read logs with ingest, and look into workbooks with libarchive and with openpyxl: neither is what
# wrote them.
target_link_libraries(report_test PRIVATE gpuadapt_ingest LibArchive::LibArchive)

add_executable(report_bench "${CMAKE_CURRENT_SOURCE_DIR}/bench/report_bench.cpp")
target_link_libraries(report_bench PRIVATE gpuadapt_report gpuadapt_ingest gpuadapt_options gpuadapt_warnings)

execute_process(COMMAND "${Python3_EXECUTABLE}" -c "import openpyxl" RESULT_VARIABLE no_openpyxl OUTPUT_QUIET ERROR_QUIET)
set(report_python "${Python3_EXECUTABLE}")
if(no_openpyxl AND EXISTS /usr/bin/python3)
    # The distribution's package belongs to the distribution's interpreter, which need not be the first in PATH.
    execute_process(COMMAND /usr/bin/python3 -c "import openpyxl" RESULT_VARIABLE no_openpyxl OUTPUT_QUIET ERROR_QUIET)
    set(report_python /usr/bin/python3)
endif()
if(no_openpyxl)
    message(STATUS "openpyxl not found: the layout of the workbook is tested without it")
else()
    add_test(NAME report.workbook_layout
        COMMAND "${report_python}" "${CMAKE_CURRENT_SOURCE_DIR}/report/test_workbook_layout.py" $<TARGET_FILE:report_bench>)
    set_tests_properties(report.workbook_layout PROPERTIES LABELS unit TIMEOUT 120)
endif()
