/**
 * Triton's command line: its options that have no effect here, or stop the start. They are declared
 * so that start scripts for Triton work; knows nothing of the server. The main thread reads the
 * options once. Read {@link io.nereid.server.options.triton.TritonOptions} first.
 */
@NullMarked
package io.nereid.server.options.triton;

import org.jspecify.annotations.NullMarked;
