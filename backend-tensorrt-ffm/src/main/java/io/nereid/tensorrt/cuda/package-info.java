/**
 * The CUDA runtime: owners of streams, events, memory and graphs over the generated bindings of
 * libcudart. It knows nothing of TensorRT, models or requests.
 *
 * <p>Every status is checked at once, and a failure is a {@link
 * io.nereid.tensorrt.cuda.CudaException}. An object is used until it is closed; after that its
 * methods throw {@link java.lang.IllegalStateException} and make no native call. Device memory is
 * no {@link java.lang.foreign.MemorySegment} that Java code could read. Copies, events, waits and
 * launches allocate nothing on the Java heap.
 *
 * <p>Classes are not thread-safe unless they say so: the thread of an instance owns its streams,
 * events and buffers. Read {@link io.nereid.tensorrt.cuda.CudaDevice} and {@link
 * io.nereid.tensorrt.cuda.CudaStream} first.
 */
@NullMarked
package io.nereid.tensorrt.cuda;

import org.jspecify.annotations.NullMarked;
