// mfc-sim: runs models and firmware in QEMU, or models on this machine. Everything is in the Driver library.
#include "mfc/Driver/MfcSim.h"
#include "mfc/Driver/OptionParser.h"

int main(int argc, char **argv) {
  return mfc::runMfcSim(mfc::argumentList(argc, argv), llvm::outs(), llvm::errs());
}
