// SPDX-License-Identifier: Apache-2.0
#include <gpuadapt/core/error.hpp>
#include <gpuadapt/report/environment_items.hpp>

#include <cstddef>
#include <cstdint>
#include <cstdlib>

// A form is either refused with an Error or gives known keys only.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace gpuadapt;
    try {
        const report::FormOverrides form =
            report::FormOverrides::parse({reinterpret_cast<const char*>(data), size}, "form.json");
        if (form.values.size() > report::kEnvironmentItems.size() + report::kSignatureItems.size())
            std::abort();
        static_cast<void>(report::environment_items({}, std::nullopt, form));
        static_cast<void>(report::signature_items(form, ""));
    } catch (const Error&) {
        return 0;
    }
    return 0;
}
