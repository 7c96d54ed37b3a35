// mfc: model in, microcontroller library out. Everything is in the Driver library.
#include "mfc/Driver/Mfc.h"
#include "mfc/Driver/OptionParser.h"

int main(int argc, char **argv) {
  int code = mfc::runMfc(mfc::argumentList(argc, argv), llvm::outs(), llvm::errs());
  return mfc::finishStreams(code);
}
