// What is run: models, engines, cases.
#ifndef MFC_TEST_SHARED_MATRIX_H
#define MFC_TEST_SHARED_MATRIX_H

#include "Goldens.h"
#include "Table.h"

namespace mfc::shared {

struct Settings {
  std::string shared; ///< folder of models and goldens
  std::string bin;    ///< folder of mfc, mfc-run, mfc-sim
  std::string only;   ///< run models whose name contains this; empty: all
  double timeoutSeconds = 600;

  bool wants(const std::string &model) const { return only.empty() || model.find(only) != std::string::npos; }
};

/// TFLite models: interpreter and compiled host code on all cases, QEMU on three cases and four cores; bit-exact.
void addTFLite(Table &table, const Settings &settings);
/// ONNX models: interpreter and compiled host code on all cases, QEMU on case 0 and three cores; within tolerance.
void addONNX(Table &table, const Settings &settings);
/// The benchmark models for every target: four files each, within five seconds of processor time.
void addCompiles(Table &table, const Settings &settings);
/// Models that must be refused well.
void addRejects(Table &table, const Settings &settings);

} // namespace mfc::shared
#endif
