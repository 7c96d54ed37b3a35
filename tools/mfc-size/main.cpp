// mfc-size: sizes and their differences from X.json. Everything is in the Driver library.
#include "mfc/Driver/MfcSize.h"
#include "mfc/Driver/OptionParser.h"

int main(int argc, char **argv) {
  int code = mfc::runMfcSize(mfc::argumentList(argc, argv), llvm::outs(), llvm::errs());
  return mfc::finishStreams(code);
}
