// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gpuadapt/core/machine.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace gpuadapt::check {

/// What kind of machine it is, as far as rules differ by it: MetaX wants no IOMMU, a guest cannot set its host's BIOS.
struct Profile {
    bool metax = false, nvidia = false, amd = false;  ///< it has GPUs of this maker
    bool vm = false;                                  ///< a guest of a hypervisor
    bool container = false;
    bool arm = false;    ///< aarch64
    bool grace = false;  ///< NVIDIA's own processors: their IOMMU and ACS are set up otherwise
    [[nodiscard]] bool any() const { return metax || nvidia || amd || vm || container || arm || grace; }
    /// One that is set in both.
    [[nodiscard]] bool meets(const Profile& other) const;
    bool operator==(const Profile&) const = default;
};

[[nodiscard]] Profile profile_of(const Machine& machine);

/// metax, nvidia, amd, vm, container; several joined by commas. "auto" and what is no such word give nullopt.
[[nodiscard]] std::optional<Profile> parse_profile(std::string_view words);
/// The same words; "none" where nothing is set.
[[nodiscard]] std::string to_string(const Profile& profile);

/// By whose habits settings are made to last: package family of /etc/os-release's ID.
enum class OsFamily {
    debian,  ///< Debian, Ubuntu, UOS, Deepin: update-grub and /etc/default/grub.d
    redhat,  ///< RHEL, CentOS, Rocky, openEuler, Kylin, Anolis, Alibaba, Tencent: grubby, grub2-mkconfig
    other,   ///< not known: what to set is said, not how
};

[[nodiscard]] OsFamily os_family(const Machine& machine);

}  // namespace gpuadapt::check
