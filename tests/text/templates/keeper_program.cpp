#include "support/system/side_process.h"
#include "text/templates/template_keeper.h"

int main() { return redraft::run_template_keeper(redraft::kSideSocket) ? 0 : 1; }
