/**
 * Clients that send one encoded request at a time from a certain address of this machine, for
 * commands that measure or keep up good requests beside others. Each is used by one thread. Uses
 * {@code torture.wire} for HTTP.
 */
@NullMarked
package io.nereid.benchmarks.sender;

import org.jspecify.annotations.NullMarked;
