/** Fuzz targets of the TensorRT backend, which has no Jazzer of its own. */
@NullMarked
package io.nereid.onnx;

import org.jspecify.annotations.NullMarked;
