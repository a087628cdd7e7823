// Lists of an operation's switches by name.
#pragma once

#include "core/checks.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace nz::ops {

template <class Switches>
struct named_switch {
    std::string_view name;
    bool Switches::*member;
};

/// "all", "none", or a comma-separated list of `known`. Throws domain_error, naming them, for other words.
template <class Switches>
Switches parse_switch_list(std::string_view list, std::span<const named_switch<Switches>> known) {
    Switches s;
    for (const auto& each : known) s.*(each.member) = list == "all";
    if (list == "all" || list == "none") return s;
    while (!list.empty()) {
        const auto comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        const auto found = std::ranges::find(known, word, &named_switch<Switches>::name);
        if (found == known.end()) {
            std::string names;
            for (const auto& each : known) names.append(", ").append(each.name);
            fail<domain_error>("'{}' is not a switch; there are all, none{}", word, names);
        }
        s.*(found->member) = true;
        list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    }
    return s;
}

}  // namespace nz::ops
