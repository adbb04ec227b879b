/**
 * ONNX Runtime's C API: the library, its function table, and owners of its objects. This is the
 * only package of the module that calls native code. It depends on tensors and shapes, not on
 * requests or configurations. Pointers do not leave it; using an object after its close throws
 * {@link java.lang.IllegalStateException}.
 *
 * <p>Any thread may use {@link io.nereid.onnx.ort.OrtEnvironment} and {@link
 * io.nereid.onnx.ort.OrtSession}; an {@link io.nereid.onnx.ort.OrtRun} belongs to the thread that
 * opened it. Read {@link io.nereid.onnx.ort.OrtApi} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx.ort;
