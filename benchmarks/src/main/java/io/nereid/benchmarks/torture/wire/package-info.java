/**
 * HTTP/1.1 and HTTP/2 as bytes, for clients that break their rules. A class here never corrects
 * what its caller sends. All calls block; an interrupt of a virtual thread ends them.
 */
@NullMarked
package io.nereid.benchmarks.torture.wire;

import org.jspecify.annotations.NullMarked;
