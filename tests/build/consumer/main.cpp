// What a stranger's first program sees: one include, one call into the compiled library.
#include <nonzero/nonzero.hpp>

#include <iostream>

int main() { std::cout << "nonzero " << nz::version() << '\n'; }
