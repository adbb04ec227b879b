/**
 * Statistics of a model version: the number of its requests, their durations and their outcomes.
 * Each instance has counters that only its own thread writes, so that counting takes neither lock
 * nor allocation; a reader sums them. Read {@link
 * io.nereid.engine.telemetry.statistics.ModelStatistics} first.
 *
 * <pre>{@code
 * a model version     ModelStatistics, MetricSeries, StatisticsSnapshot
 * an instance         InstanceStatistics, SharedStatistics; the response cache: CacheStatistics
 * what is counted     Counters, BatchCounters, ResponseCounters, FirstResponses; by enums of reasons
 * all models          LifeCycleSnapshot
 * }</pre>
 */
@NullMarked
package io.nereid.engine.telemetry.statistics;

import org.jspecify.annotations.NullMarked;
