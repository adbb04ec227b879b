/**
 * The contract between the server and a backend. A {@link io.nereid.spi.BackendProvider}, found by
 * {@link java.util.ServiceLoader}, opens a {@link io.nereid.spi.Backend}. That loads a {@link
 * io.nereid.spi.Model}, which opens {@link io.nereid.spi.ModelInstance}s. An instance executes a
 * {@link io.nereid.spi.Batch} into {@link io.nereid.spi.Results}. A backend implements the first
 * four; only the server implements the last two, which may gain methods.
 *
 * <p>A backend reports failures as {@link io.nereid.error.InferenceException}. The server turns any
 * other exception into an internal error of the model. Objects that are {@code AutoCloseable} are
 * owned by their holder; everything else that a method receives is borrowed until it returns.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.spi;
