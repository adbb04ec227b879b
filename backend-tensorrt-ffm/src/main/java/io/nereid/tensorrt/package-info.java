/**
 * The backend {@code tensorrt}, which runs TensorRT engines through Java's Foreign Function and
 * Memory API. It depends on {@code api-spi}, not on the server.
 *
 * <p>The threads that load models use the backend and its models; each instance belongs to one
 * thread. Read {@link io.nereid.tensorrt.TensorRtModel} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt;
