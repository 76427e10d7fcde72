// SPDX-License-Identifier: Apache-2.0
#include "cli/parse_errors.hpp"

#include <gpuadapt/core/wording.hpp>

#include <algorithm>

namespace gpuadapt::cli {
namespace {

/// CLI11 has no way to give its texts in another language (Error.hpp and Validators.hpp of 2.1 to 2.4).
constexpr Wording kWordings[] = {
    {"The following arguments? w(?:as|ere) not expected: (.*)", "not known here: $1", "无法识别：$1"},
    {"(.*): [0-9]+ required ([^:]*).* missing", "$1: a value is missing ($2)", "$1：缺少取值（$2）"},
    {"(.*): the value is empty", "$1: the value is empty (a variable that is not set?)",
     "$1：取值为空（变量未设置？）"},
    {"(.*): At Most ([0-9]+) required but received ([0-9]+)", "$1: given $3 times", "$1：给出了 $3 次"},
    {"(.*): At Least ([0-9]+) required but received ([0-9]+)", "$1: takes at least $2 values, not $3",
     "$1：至少需要 $2 个取值，只给出 $3 个"},
    {"Could not convert: (.*?) ?= ?(.*)", "$1 $2: not a number", "$1 $2：不是数值"},
    {"(.*): Value (.*) not in range (.*) to (.*)", "$1 $2: a number from $3 to $4 is expected",
     "$1 $2：应为 $3 到 $4 的数值"},
    {"(.*): Value (.*) not in range \\[(.*) - (.*)\\]", "$1 $2: a number from $3 to $4 is expected",
     "$1 $2：应为 $3 到 $4 的数值"},
    {"(.*): (.*) not in \\{(.*)\\}", "$1 $2: not one of $3", "$1 $2：可用取值为 $3"},
    {"(.) was given a disallowed flag override", "-$1 takes no value", "-$1 不接受取值"},
    {"(.*) was given a disallowed flag override", "--$1 takes no value", "--$1 不接受取值"},
    {"(.*) is required", "$1 must be given", "必须给出 $1"},
    {"(.*) requires (.*)", "$1 is of use only with $2", "$1 须与 $2 同时使用"},
    {"(.*) excludes (.*)", "$1 and $2 exclude each other", "$1 与 $2 不能同时使用"},
};

}  // namespace

Message usage_mistake(const std::string& what) {
    std::string text = what;
    std::replace(text.begin(), text.end(), '\n', ' ');
    text = std::string(trim(text));
    return reworded(text, kWordings).value_or(Message::same(text));
}

}  // namespace gpuadapt::cli
