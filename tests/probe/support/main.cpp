// SPDX-License-Identifier: Apache-2.0
#include "support/management_main.hpp"

int main(int argc, char** argv) {
    return gpuadapt::test::main_with_management_child(argc, argv);
}
