// Prints the table of settings as JSON: tools/settings.py writes documentation from it.
#include <iostream>

#include "lsp/settings/settings.h"

int main() { std::cout << redraft::lsp::settings_table().dump(2) << "\n"; }
