/** The backend against ONNX Runtime itself. Read {@link io.nereid.onnx.OnnxInstanceTest} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx;
