/** Tests of the bindings of ONNX Runtime's C API. */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx.ort;
