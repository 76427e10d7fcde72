// SPDX-License-Identifier: Apache-2.0
#pragma once

/// How a type tells its members to the JSON writer and the JSON reader.
namespace gpuadapt::json {

/// Specialised with `static void each(auto& x, auto&& f)`, which calls f("name", x.member) for each member.
template <class T>
struct Fields;

template <class T>
concept Described = requires {
    sizeof(Fields<T>);
};

}  // namespace gpuadapt::json

// In that namespace: GPUADAPT_FIELDS(Type) { f("name", x.member); } GPUADAPT_END
// clang-format off
#define GPUADAPT_FIELDS(Type) \
    template <> struct Fields<Type> { static void each(auto& x, auto&& f)
#define GPUADAPT_END };
// clang-format on
