# The ONNX importer. Included by lib/Import/CMakeLists.txt: sets onnx_sources and onnx_libraries.
# Its schema is compiled at build time; generated code is not held to our warnings.
find_program(MFC_PROTOC protoc REQUIRED)
set(onnx_schema ${CMAKE_CURRENT_SOURCE_DIR}/ONNX/onnx_subset.proto)
set(onnx_generated ${CMAKE_CURRENT_BINARY_DIR}/ONNX)
file(MAKE_DIRECTORY ${onnx_generated})
add_custom_command(
  OUTPUT ${onnx_generated}/onnx_subset.pb.cc ${onnx_generated}/onnx_subset.pb.h
  COMMAND ${MFC_PROTOC} --cpp_out=${onnx_generated} --proto_path=${CMAKE_CURRENT_SOURCE_DIR}/ONNX ${onnx_schema}
  DEPENDS ${onnx_schema}
  VERBATIM)
add_library(mfc_OnnxSchema STATIC ${onnx_generated}/onnx_subset.pb.cc ${onnx_generated}/onnx_subset.pb.h)
target_include_directories(mfc_OnnxSchema SYSTEM PUBLIC ${onnx_generated} ${Protobuf_INCLUDE_DIRS})
target_link_libraries(mfc_OnnxSchema PUBLIC protobuf::libprotobuf-lite)

set(onnx_sources
  ONNX/Builder.cpp
  ONNX/ConvertActivation.cpp
  ONNX/ConvertConstant.cpp
  ONNX/ConvertControl.cpp
  ONNX/ConvertConv.cpp
  ONNX/ConvertConvTranspose.cpp
  ONNX/ConvertElementwise.cpp
  ONNX/ConvertMatrix.cpp
  ONNX/ConvertMovement.cpp
  ONNX/ConvertNormalization.cpp
  ONNX/ConvertPad.cpp
  ONNX/ConvertPool.cpp
  ONNX/ConvertQLinear.cpp
  ONNX/ConvertQuantize.cpp
  ONNX/ConvertReduce.cpp
  ONNX/ConvertResize.cpp
  ONNX/ConvertShape.cpp
  ONNX/ConvertSlice.cpp
  ONNX/Converters.cpp
  ONNX/ExternalData.cpp
  ONNX/FoldOnly.cpp
  ONNX/GraphImport.cpp
  ONNX/ImportONNX.cpp
  ONNX/InputTypes.cpp
  ONNX/Layout.cpp
  ONNX/Node.cpp
  ONNX/Order.cpp
  ONNX/Parse.cpp
  ONNX/SpatialWindow.cpp
  ONNX/TensorData.cpp
  ONNX/Types.cpp
  ONNX/UnknownOperators.cpp
)
set(onnx_libraries mfc_OnnxSchema)
