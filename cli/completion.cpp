// nz completion SHELL: a script that completes verbs, options and their values, written from CLI11's own tables, so that it
// knows whatever the verbs know.
#include "nonzero/io.hpp"
#include "options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <sstream>

namespace nz::cli {
namespace {

struct described_option {
    std::vector<std::string> names;   // with their dashes
    std::string description;          // one line
    std::string value;                // what its value is called; empty for a flag
    std::vector<std::string> values;  // all that there are; empty where they are not listed
};

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

std::string joined(const std::vector<std::string>& words, std::string_view separator = " ") {
    return fmt::format("{}", fmt::join(words, separator));
}

// The members that an option's check lists: "{auto,cpu,cuda}".
std::vector<std::string> members_of(CLI::Option& option) {
    std::vector<std::string> members;
    std::string text;
    try {
        text = option.get_validator(0)->get_description();
    } catch (const CLI::OptionNotFound&) {
        return members;  // it has no check
    }
    if (!text.starts_with('{') || !text.ends_with('}')) return members;
    std::istringstream words(text.substr(1, text.size() - 2));
    for (std::string word; std::getline(words, word, ',');) members.push_back(word);
    return members;
}

std::vector<described_option> options_of(CLI::App& verb) {
    std::vector<described_option> all;
    for (CLI::Option* option : verb.get_options([](CLI::Option*) { return true; })) {
        described_option o;
        for (const auto& name : option->get_snames()) o.names.push_back("-" + name);
        for (const auto& name : option->get_lnames()) o.names.push_back("--" + name);
        if (o.names.empty()) continue;
        o.description = first_line(option->get_description());
        if (option->get_expected_max() > 0) {
            const std::string& text = option->get_option_text();
            o.value = text.find_first_not_of(' ') == std::string::npos ? "VALUE" : text;
            o.values = members_of(*option);
        }
        all.push_back(std::move(o));
    }
    return all;
}

std::vector<CLI::App*> verbs_of(CLI::App& app) {
    return app.get_subcommands([](CLI::App*) { return true; });
}

// "rmat:", "grid2d:"...
std::vector<std::string> generator_names() {
    std::vector<std::string> names;
    for (const auto& line : generators()) names.push_back(line.substr(0, line.find(':') + 1));
    std::ranges::sort(names);
    const auto repeats = std::ranges::unique(names);
    names.erase(repeats.begin(), repeats.end());
    return names;
}

// Shell names the values of the verb's positional argument: inputs, unless its check lists them.
std::vector<std::string> positional_values(CLI::App& verb) {
    for (CLI::Option* option : verb.get_options([](CLI::Option* o) { return o->get_positional(); }))
        return members_of(*option);
    return {};
}

std::string bash_script(CLI::App& app) {
    std::string verbs, cases;
    for (CLI::App* verb : verbs_of(app)) {
        verbs += (verbs.empty() ? "" : " ") + verb->get_name();
        std::string names, values;
        for (const auto& o : options_of(*verb)) {
            names += (names.empty() ? "" : " ") + joined(o.names);
            if (!o.value.empty())
                values += fmt::format("                {}) values=\"{}\" taken=yes ;;\n",
                                      joined(o.names, "|"), joined(o.values));
        }
        cases += fmt::format(
            "        {})\n            options=\"{}\"\n            words=\"{}\"\n"
            "            case $previous in\n{}            esac ;;\n",
            verb->get_name(), names, joined(positional_values(*verb)), values);
    }
    return fmt::format(R"(# Completes nz in bash: source <(nz completion bash)
_nz() {{
    local word=${{COMP_WORDS[COMP_CWORD]}} previous=${{COMP_WORDS[COMP_CWORD - 1]}}
    local options= words= values= taken=
    COMPREPLY=()
    if [ "$COMP_CWORD" = 1 ]; then
        COMPREPLY=($(compgen -W "{} --help --version" -- "$word"))
        return
    fi
    case ${{COMP_WORDS[1]}} in
{}    esac
    if [ -n "$taken" ]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    else
        COMPREPLY=($(compgen -W "${{words:-{}}}" -- "$word"))
        [[ ${{COMPREPLY[0]-}} != *: ]] || compopt -o nospace 2>/dev/null
    fi
}}
complete -o bashdefault -o default -F _nz nz
)",
                       verbs, cases, joined(generator_names()));
}

// Text inside the single quotes of an argument of zsh's _arguments or _describe.
std::string zsh_text(const std::string& text) {
    std::string safe;
    for (const char c : text) {
        if (c == '\'')
            safe += "'\\''";
        else if (c == '[' || c == ']' || c == ':' || c == '\\')
            safe += {'\\', c};
        else
            safe += c;
    }
    return safe;
}

std::string zsh_option(const described_option& o) {
    std::string value;
    if (!o.value.empty())
        value = fmt::format(":{}:{}", zsh_text(o.value),
                            o.values.empty() ? "_files" : "(" + joined(o.values) + ")");
    const std::string rest = fmt::format("[{}]{}'", zsh_text(o.description), value);
    if (o.names.size() == 1) return fmt::format("                '{}{}", o.names[0], rest);
    return fmt::format("                '({})'{{{}}}'{}", joined(o.names), joined(o.names, ","), rest);
}

std::string zsh_script(CLI::App& app) {
    std::string verbs, cases;
    for (CLI::App* verb : verbs_of(app)) {
        verbs +=
            fmt::format("        '{}:{}'\n", verb->get_name(), zsh_text(first_line(verb->get_description())));
        cases += fmt::format("        {})\n            _arguments -s \\\n", verb->get_name());
        for (const auto& o : options_of(*verb)) cases += zsh_option(o) + " \\\n";
        const auto words = positional_values(*verb);
        cases += words.empty() ? "                '*:input:_nz_input' ;;\n"
                               : fmt::format("                '*:word:({})' ;;\n", joined(words));
    }
    return fmt::format(R"(#compdef nz
# Completes nz in zsh: source <(nz completion zsh), or a file _nz in a folder of $fpath
_nz_input() {{
    _alternative 'files:file:_files' 'generators:generator:compadd -S "" {}'
}}
_nz() {{
    local -a verbs=(
{}    )
    if (( CURRENT == 2 )); then
        _describe verb verbs
        return
    fi
    local verb=$words[2]
    words=("${{(@)words[2,-1]}}")
    (( CURRENT-- ))
    case $verb in
{}    esac
}}
if [ "$funcstack[1]" = "_nz" ]; then
    _nz "$@"
else
    compdef _nz nz
fi
)",
                       joined(generator_names()), verbs, cases);
}

}  // namespace

void add_completion(CLI::App& app, runner& run) {
    auto* verb = app.add_subcommand("completion", "Print a script that completes nz's words in a shell");
    auto shell = std::make_shared<std::string>();
    verb->add_option("SHELL", *shell, "bash or zsh")
        ->required()
        ->check(CLI::IsMember({"bash", "zsh"}))
        ->option_text(" ");
    verb->footer("Example: nz completion bash > ~/.local/share/bash-completion/completions/nz");
    verb->callback([&app, &run, shell] {
        run = [&app, shell] {
            fmt::print("{}", *shell == "bash" ? bash_script(app) : zsh_script(app));
            return 0;
        };
    });
}

}  // namespace nz::cli
