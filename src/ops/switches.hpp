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
    bool of_all = true;  ///< whether "all" means it too
};

/// "none", or a comma-separated list of `known` and "all". Throws domain_error, naming them, for other words.
template <class Switches>
Switches parse_switch_list(std::string_view list, std::span<const named_switch<Switches>> known) {
    Switches s;
    for (const auto& each : known) s.*(each.member) = false;
    if (list == "none") return s;
    while (!list.empty()) {
        const auto comma = list.find(',');
        const std::string_view word = list.substr(0, comma);
        const auto found = std::ranges::find(known, word, &named_switch<Switches>::name);
        if (word == "all") {
            for (const auto& each : known)
                if (each.of_all) s.*(each.member) = true;
        } else if (found != known.end()) {
            s.*(found->member) = true;
        } else {
            std::string names;
            for (const auto& each : known) names.append(", ").append(each.name);
            fail<domain_error>("'{}' is not a switch; there are all, none{}", word, names);
        }
        list = comma == list.npos ? std::string_view{} : list.substr(comma + 1);
    }
    return s;
}

}  // namespace nz::ops
