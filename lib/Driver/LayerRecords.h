// What firmware with layer taps wrote: the inputs and the result of every layer, for each run of
// the model.
#ifndef MFC_LIB_DRIVER_LAYERRECORDS_H
#define MFC_LIB_DRIVER_LAYERRECORDS_H

#include "mfc/Emit/ModelInfo.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

namespace mfc {

/// One invoke. The bytes point into the text that was read.
struct RecordedRun {
  std::vector<llvm::ArrayRef<uint8_t>> inputs;
  std::vector<llvm::ArrayRef<uint8_t>> layers; ///< fewer than the model's when the run broke off
};

/// Reads the records of runtime/layer_record.h. An error when they are not those of this model
/// (number, order or size); a last run that broke off is kept.
llvm::Expected<std::vector<RecordedRun>> readLayerRecords(llvm::StringRef records,
                                                          const ModelInfo &info,
                                                          llvm::ArrayRef<uint64_t> layerBytes);

} // namespace mfc
#endif
