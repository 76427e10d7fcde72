// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/cli/main.hpp>

int main(int argc, char** argv) {
    return gpuadapt::run_cli(argc, argv);
}
