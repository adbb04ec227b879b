/**
 * Micro-benchmarks of parts of the server. The Javadoc of each class asks one question. Methods
 * whose names end in {@code Baseline} are the baselines to compare with, within one run. A test
 * runs each benchmark once. Read {@link io.nereid.benchmarks.micro.EngineBenchmark} first.
 */
@NullMarked
package io.nereid.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
