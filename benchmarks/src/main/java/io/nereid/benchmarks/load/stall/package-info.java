/**
 * When a server stood still, and what stood still then: the machine, the generator's collector, the
 * server's safepoints. Knows nothing of requests but their times.
 */
@NullMarked
package io.nereid.benchmarks.load.stall;

import org.jspecify.annotations.NullMarked;
