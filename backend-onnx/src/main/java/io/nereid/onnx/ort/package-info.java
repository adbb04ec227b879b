/**
 * ONNX Runtime's C API: its library, its table of functions, and owners for what it hands out. It
 * knows tensors and shapes, but neither models, requests nor configurations, and it is the only
 * package of this module that calls native code. Handles never leave it: whoever uses one that is
 * closed gets an {@link java.lang.IllegalStateException}.
 *
 * <p>{@link io.nereid.onnx.ort.OrtEnvironment} and {@link io.nereid.onnx.ort.OrtSession} may be
 * used from any thread; an {@link io.nereid.onnx.ort.OrtRun} belongs to the thread that opened it.
 * Read {@link io.nereid.onnx.ort.OrtApi} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx.ort;
