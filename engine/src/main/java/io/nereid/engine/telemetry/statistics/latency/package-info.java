/**
 * How the durations of a model version's requests are distributed, by {@link
 * io.nereid.engine.telemetry.statistics.latency.LatencyPhase phase}. Each object has one thread
 * that writes it.
 *
 * <pre>{@code
 * since the load      DurationBuckets, DurationHistograms, DurationDistribution
 * the last minute     RecentLatencies, LatencyHistograms, LatencyHistogram
 * what is recorded    LatencyRecording
 * }</pre>
 */
@NullMarked
package io.nereid.engine.telemetry.statistics.latency;

import org.jspecify.annotations.NullMarked;
