/**
 * The contract with a backend. A backend's tests extend these classes, one model at a time, without
 * a server. Each instance is called by one thread, as {@link io.nereid.spi.ModelInstance} promises.
 * Read {@link io.nereid.tck.backend.ExecutionVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.backend;
