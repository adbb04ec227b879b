/**
 * Micro-benchmarks of the server's parts. Each class asks one question, in its Javadoc, and holds
 * the baseline beside which the answer is read: compare within one run, never across. They know the
 * parts they measure and nothing of each other; JMH's threads run them, and a test runs each once.
 * Read {@link io.nereid.benchmarks.micro.BufferPoolBenchmark} first.
 */
@NullMarked
package io.nereid.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
