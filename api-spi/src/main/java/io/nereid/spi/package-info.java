/**
 * The contract between the server and a backend, from the outside in: {@link
 * io.nereid.spi.BackendProvider} is found by {@link java.util.ServiceLoader}, opens a {@link
 * io.nereid.spi.Backend}, which loads a {@link io.nereid.spi.Model}, which opens {@link
 * io.nereid.spi.ModelInstance}s, which execute {@link io.nereid.spi.Batch}es into {@link
 * io.nereid.spi.Results}. A backend implements the first four; the server implements the last two,
 * and may add methods to them.
 *
 * <p>Every failure is an {@link io.nereid.error.InferenceException}; anything else that a backend
 * throws is answered as an internal error of that model.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.spi;
