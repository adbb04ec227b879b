/**
 * TensorRT's builder and ONNX parser as Java objects, each with one owner that checks its state
 * before every call.
 *
 * <pre>
 * NetworkBuilder ─┬▶ Network ◀── OnnxParser     the parser owns weights: closed after the build
 *                 ├▶ BuilderConfig ◀── OptimizationProfile, ProgressMonitor, TimingCache
 *                 └▶ HostMemory                 the plan
 * </pre>
 *
 * <p>This package knows nothing of models, configurations or caches. The thread that makes a
 * builder, with its device current, uses all that is made from it; TensorRT calls a {@link
 * io.nereid.tensorrt.builder.ProgressMonitor} from threads of its own too. Read {@link
 * io.nereid.tensorrt.builder.NetworkBuilder} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.builder;
