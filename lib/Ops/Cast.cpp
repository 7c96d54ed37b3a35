// cast: conversion of stored values.
#include "OpFunctions.h"

using namespace mfc;

llvm::Expected<Shape> mfc::inferCast(const ShapeQuery &query) { return inferSameShape(query); }
