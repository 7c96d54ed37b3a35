// The form is that of struct mfc_layer_record (runtime/layer_record.h): magic, layer, bytes, each
// 32 bits, and the data.
#include "LayerRecords.h"

#include "mfc/Support/ClassifiedError.h"

#include "llvm/Support/Endian.h"

using namespace mfc;

namespace {

constexpr uint32_t kMagic = 0x4c43464d; // "MFCL"
constexpr size_t kHeaderBytes = 12;

struct Record {
  int32_t layer = 0;
  llvm::ArrayRef<uint8_t> data;
};

class RecordReader {
public:
  explicit RecordReader(llvm::StringRef text) : text(text) {}

  bool atEnd() const { return offset == text.size(); }

  llvm::Expected<Record> next() {
    if (text.size() - offset < kHeaderBytes || word(0) != kMagic)
      return broken("no record header");
    Record record;
    record.layer = static_cast<int32_t>(word(4));
    uint64_t bytes = word(8);
    if (bytes > text.size() - offset - kHeaderBytes)
      return broken("a record of " + llvm::Twine(bytes) + " bytes is cut off");
    record.data = {reinterpret_cast<const uint8_t *>(text.data()) + offset + kHeaderBytes,
                   static_cast<size_t>(bytes)};
    offset += kHeaderBytes + static_cast<size_t>(bytes);
    return record;
  }

private:
  uint32_t word(size_t at) const {
    return llvm::support::endian::read32le(text.data() + offset + at);
  }
  llvm::Error broken(const llvm::Twine &what) const {
    return makeError(ErrorClass::Usage,
                     "layer records: " + what + " at byte " + llvm::Twine(offset));
  }

  llvm::StringRef text;
  size_t offset = 0;
};

llvm::Error foreign(const llvm::Twine &what) {
  return makeError(ErrorClass::Usage,
                   "the layer records are not those of this model and these options: " + what);
}

} // namespace

llvm::Expected<std::vector<RecordedRun>>
mfc::readLayerRecords(llvm::StringRef records, const ModelInfo &info,
                      llvm::ArrayRef<uint64_t> layerBytes) {
  std::vector<RecordedRun> runs;
  RecordReader reader(records);
  while (!reader.atEnd()) {
    llvm::Expected<Record> record = reader.next();
    if (!record)
      return record.takeError();
    if (record->layer == -1)
      runs.emplace_back();
    if (runs.empty())
      return foreign("found layer " + llvm::Twine(record->layer) + " first, wanted input 0");
    RecordedRun &run = runs.back();
    bool input = record->layer < 0;
    auto &list = input ? run.inputs : run.layers;
    size_t wantedCount = input ? info.inputs.size() : layerBytes.size();
    size_t index = list.size(),
           found = static_cast<size_t>(input ? -1 - int64_t(record->layer) : record->layer);
    const char *what = input ? "input " : "layer ";
    if (index >= wantedCount || found != index)
      return foreign("found " + llvm::Twine(what) + llvm::Twine(found) + " behind " +
                     llvm::Twine(index) + " of them, the model has " + llvm::Twine(wantedCount));
    uint64_t wanted = input ? info.inputs[index].bytes : layerBytes[index];
    if (record->data.size() != wanted)
      return foreign(llvm::Twine(what) + llvm::Twine(index) + " has " +
                     llvm::Twine(record->data.size()) + " bytes, wanted " + llvm::Twine(wanted));
    list.push_back(record->data);
  }
  return runs;
}
