/**
 * The backend for TensorRT engines, as the server sees it. It knows {@code api-spi} and never the
 * server. The provider is created and opened by the thread that loads models. Read {@link
 * io.nereid.tensorrt.TensorRtBackendProvider} first: it is the whole of it, and refuses to open.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt;
