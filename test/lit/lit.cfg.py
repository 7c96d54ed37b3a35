# How lit runs the text tests. The parameters come from CMakeLists.txt; by hand, from the build directory:
#   lit -v --param mfc_bin=build/dev/bin --param llvm_bin=<LLVM's bin> --param source=. --param exec_root=build/dev/lit test/lit
import os
import sys

import lit.formats

config.name = "mfc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mfcir", ".test"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.abspath(lit_config.params["exec_root"])

mfc_bin = os.path.abspath(lit_config.params["mfc_bin"])
llvm_bin = os.path.abspath(lit_config.params["llvm_bin"])
config.environment["PATH"] = os.pathsep.join([mfc_bin, llvm_bin, config.environment["PATH"]])
config.substitutions.append(("%mfc_bin", mfc_bin))
source = os.path.abspath(lit_config.params["source"])
inputs = os.path.join(config.test_source_root, "Inputs")

# Models from text, and models that must be refused; the scripts say how. Longer names first: lit replaces in this order.
config.substitutions.append(("%model", "sh %s/model.sh %s" % (inputs, source)))
config.substitutions.append(("%refused", "sh %s/refused.sh %s" % (inputs, source)))
config.substitutions.append(("%source", source))
config.substitutions.append(("%python", sys.executable))

# Exit codes are part of what the tools promise: "%exits 2 mfc-opt x" fails unless mfc-opt exits with 2.
config.substitutions.append(("%exits", "sh " + os.path.join(inputs, "exits.sh")))
