/**
 * Triton's command line: each of its options, and what becomes of it here. Declares those that have
 * no effect, so that start scripts for Triton work; knows nothing of the server. The main thread
 * reads the options once. Read {@link io.nereid.server.options.triton.TritonOptions} first.
 */
@NullMarked
package io.nereid.server.options.triton;

import org.jspecify.annotations.NullMarked;
