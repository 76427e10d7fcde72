# gpuadapt_layer(NAME [DEPENDS layer...] [PRIVATE library...])
# One static library a layer, made of src/NAME/*.cpp, with its public headers in include/gpuadapt/NAME.
function(gpuadapt_layer name)
    cmake_parse_arguments(LAYER "" "" "DEPENDS;PRIVATE" ${ARGN})
    file(GLOB sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${name}/*.cpp")
    if(NOT sources)
        # A layer may consist of headers only; a static library needs one file.
        file(WRITE "${CMAKE_BINARY_DIR}/${name}_headers_only.cpp" "")
        set(sources "${CMAKE_BINARY_DIR}/${name}_headers_only.cpp")
    endif()
    add_library(gpuadapt_${name} STATIC ${sources})
    target_include_directories(gpuadapt_${name}
        PUBLIC "${CMAKE_SOURCE_DIR}/include"
        PRIVATE "${CMAKE_SOURCE_DIR}/src")
    foreach(below IN LISTS LAYER_DEPENDS)
        target_link_libraries(gpuadapt_${name} PUBLIC gpuadapt_${below})
    endforeach()
    target_link_libraries(gpuadapt_${name} PRIVATE gpuadapt_options gpuadapt_warnings ${LAYER_PRIVATE})
    set_property(GLOBAL APPEND PROPERTY GPUADAPT_LAYERS ${name})
endfunction()
