/** ONNX Runtime's C API by itself. Read {@link io.nereid.onnx.ort.OrtSessionTest} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx.ort;
