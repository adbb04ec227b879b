/**
 * The contract between the server and an object store that holds model repositories. An {@link
 * io.nereid.spi.repository.ObjectStoreProvider}, found by {@link java.util.ServiceLoader}, opens an
 * {@link io.nereid.spi.repository.ObjectStore}, which lists and reads objects. The server does the
 * rest: it repeats what fails, resumes and verifies downloads, and keeps them in a local cache.
 *
 * <p>Failures are {@link io.nereid.spi.repository.ObjectStoreException}s, whose reason tells
 * whether a repetition can help. Any other {@link java.io.IOException} counts as a lost connection.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.spi.repository;
