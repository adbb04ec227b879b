/**
 * What is read of ONNX files without TensorRT, so that a cached plan is found without a builder and
 * a missing range is reported before anything is built. It knows nothing of plans. Read {@link
 * io.nereid.tensorrt.build.onnx.OnnxGraph} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.build.onnx;
