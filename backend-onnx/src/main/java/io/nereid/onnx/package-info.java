/**
 * The backend {@code onnxruntime}: models in ONNX files. It turns configurations into sessions and
 * batches into runs; native code is {@link io.nereid.onnx.ort}'s alone, and how requests arrive is
 * none of its business.
 *
 * <p>Backend and models are used by the thread that loads; an {@link io.nereid.onnx.OnnxInstance}
 * belongs to one thread. Read {@link io.nereid.onnx.OnnxInstance} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.onnx;
