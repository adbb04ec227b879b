/** Tests of the backend with ONNX Runtime. Read {@link io.nereid.onnx.OnnxInstanceTest} first. */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx;
