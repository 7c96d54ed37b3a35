// mfc-shared-tests --shared DIR --bin DIR [--only TEXT] [--threads N]: holds the built tools up against stored models.
#include "Matrix.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

using namespace mfc::shared;

int main(int argc, char **argv) {
  Settings settings;
  unsigned threads = std::max(1u, std::thread::hardware_concurrency());
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--shared"))
      settings.shared = argv[i + 1];
    else if (!std::strcmp(argv[i], "--bin"))
      settings.bin = argv[i + 1];
    else if (!std::strcmp(argv[i], "--only"))
      settings.only = argv[i + 1];
    else if (!std::strcmp(argv[i], "--threads"))
      threads = std::max(1, std::atoi(argv[i + 1]));
  }
  if (settings.shared.empty() || settings.bin.empty()) {
    std::fprintf(stderr, "usage: mfc-shared-tests --shared DIR --bin DIR [--only TEXT] [--threads N]\n");
    return 1;
  }
  Table table;
  addCompiles(table, settings);
  addTFLite(table, settings);
  addONNX(table, settings);
  addRejects(table, settings);
  return table.run(threads) == 0 ? 0 : 1;
}
