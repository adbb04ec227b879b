/**
 * The backend {@code onnxruntime} for models in ONNX files. It turns configurations into sessions
 * and batches into runs. It depends on {@code api-spi} and calls native code only through {@link
 * io.nereid.onnx.ort}.
 *
 * <p>The threads that load models use the backend and its models; each instance belongs to one
 * thread. Read {@link io.nereid.onnx.OnnxInstance} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx;
