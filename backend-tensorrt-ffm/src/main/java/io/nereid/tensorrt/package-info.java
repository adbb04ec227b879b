/**
 * The backend {@code tensorrt}. So far it is only a provider that reports why it cannot be opened:
 * {@link io.nereid.tensorrt.TensorRtBackendProvider}. It depends on {@code api-spi}, not on the
 * server.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tensorrt;
