// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace gpuadapt::json {

/// Members of a JSON object in the order in which they came, for nlohmann::basic_json. nlohmann's own ordered_map looks
/// through all members for each key: an hour for a file of a few megabytes that somebody made of keys alone.
template <class Key, class T, class Less, class Allocator>
class Object {
  public:
    using key_type = Key;
    using mapped_type = T;
    using value_type = std::pair<const Key, T>;
    using key_compare = std::equal_to<>;
    using Members = std::vector<value_type, Allocator>;
    using iterator = typename Members::iterator;
    using const_iterator = typename Members::const_iterator;
    using size_type = typename Members::size_type;
    using difference_type = typename Members::difference_type;

    Object() = default;
    template <class Iterator>
    Object(Iterator first, Iterator last) {
        insert(first, last);
    }
    bool operator==(const Object& other) const { return members_ == other.members_; }

    [[nodiscard]] iterator begin() { return members_.begin(); }
    [[nodiscard]] iterator end() { return members_.end(); }
    [[nodiscard]] const_iterator begin() const { return members_.begin(); }
    [[nodiscard]] const_iterator end() const { return members_.end(); }
    [[nodiscard]] const_iterator cbegin() const { return members_.begin(); }
    [[nodiscard]] const_iterator cend() const { return members_.end(); }
    [[nodiscard]] size_type size() const { return members_.size(); }
    [[nodiscard]] size_type max_size() const { return members_.max_size(); }
    [[nodiscard]] bool empty() const { return members_.empty(); }

    [[nodiscard]] iterator find(std::string_view key) { return begin() + place_of(key); }
    [[nodiscard]] const_iterator find(std::string_view key) const { return begin() + place_of(key); }
    [[nodiscard]] size_type count(std::string_view key) const { return find(key) == end() ? 0 : 1; }

    T& operator[](std::string_view key) { return emplace(key, T{}).first->second; }
    std::pair<iterator, bool> emplace(std::string_view key, T value) {
        const iterator found = find(key);
        if (found != end())
            return {found, false};
        members_.emplace_back(Key(key), std::move(value));
        index();
        return {end() - 1, true};
    }
    std::pair<iterator, bool> insert(const value_type& member) { return emplace(member.first, member.second); }
    template <class Iterator>
    void insert(Iterator first, Iterator last) {
        for (; first != last; ++first)
            emplace(first->first, first->second);
    }
    iterator erase(iterator at) {
        const difference_type place = at - begin();
        Members rest;
        for (iterator member = begin(); member != end(); ++member)
            if (member != at)
                rest.emplace_back(member->first, std::move(member->second));
        members_ = std::move(rest);
        places_.clear();
        index();
        return begin() + place;
    }
    void clear() {
        members_.clear();
        places_.clear();
    }

  private:
    static constexpr size_type kFew = 16;

    [[nodiscard]] difference_type place_of(std::string_view key) const {
        if (places_.empty())
            return std::find_if(begin(), end(), [&](const value_type& member) { return member.first == key; }) -
                   begin();
        const auto found = places_.find(key);
        return found == places_.end() ? end() - begin() : found->second;
    }

    void index() {
        if (members_.size() > kFew)
            for (size_type i = places_.size(); i < members_.size(); ++i)
                places_.emplace(members_[i].first, static_cast<difference_type>(i));
    }

    Members members_;
    std::map<Key, difference_type, std::less<>> places_;  ///< of all members, once there are more than a few
};

}  // namespace gpuadapt::json
