/**
 * The commands that measure servers of the v2 protocol by the load generator of {@code tools}, with
 * the cells of the baseline as presets. They know a server by its URLs and, to read CPU times, by
 * its process id. Read {@link io.nereid.benchmarks.load.LoadRun} first.
 */
@NullMarked
package io.nereid.benchmarks.load;

import org.jspecify.annotations.NullMarked;
