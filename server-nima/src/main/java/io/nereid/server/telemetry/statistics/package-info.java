/**
 * Statistics of a model version: the number of its requests, their durations and their outcomes.
 * Each instance has counters that only its own thread writes, so that counting takes neither lock
 * nor allocation; a reader sums them. Read {@link
 * io.nereid.server.telemetry.statistics.ModelStatistics} first.
 */
@NullMarked
package io.nereid.server.telemetry.statistics;

import org.jspecify.annotations.NullMarked;
