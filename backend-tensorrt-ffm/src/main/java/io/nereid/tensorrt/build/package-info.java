/**
 * Where the plan of a model version comes from: a file of the version, or TensorRT's builder, which
 * makes it from an ONNX file once and keeps it in a cache. This package knows nothing of requests
 * or execution; the engine package deserialises what it returns.
 *
 * <p>The threads that load models call it, each with its device current. Read {@link
 * io.nereid.tensorrt.build.PlanSource} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.build;
