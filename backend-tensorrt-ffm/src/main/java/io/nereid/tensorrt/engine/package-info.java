/**
 * TensorRT as Java objects: the loaded library, its runtime, engines and execution contexts. Each
 * object of the library has one owner here, which checks its state before every call.
 *
 * <pre>
 * TensorRt ─▶ InferenceRuntime ─▶ CudaEngine ─▶ ExecutionContext
 *   library    a device            a plan   an instance's shapes, addresses and device memory
 * </pre>
 *
 * <p>The tables that the calls go through are described in {@code src/main/native-headers}; those
 * of major versions 10 and 11 differ, so the addresses of the methods are looked up by name, in a
 * {@link io.nereid.tensorrt.engine.MethodTable}: those of engines and contexts once for each
 * object, by a {@code *Methods} record. Calls on the way of a request allocate nothing on the Java
 * heap. This package knows nothing of models, requests or batches, and of CUDA only streams and
 * events.
 *
 * <p>Runtimes and engines may be used by any thread, an execution context by one at a time. Read
 * {@link io.nereid.tensorrt.engine.TensorRt} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt.engine;
