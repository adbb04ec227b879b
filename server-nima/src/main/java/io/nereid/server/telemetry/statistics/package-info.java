/**
 * Statistics of a model version: how many requests, how long they took, and how they ended. Each
 * instance has counters that only its own thread writes, so that counting takes neither lock nor
 * allocation; a reader sums them. Read {@link
 * io.nereid.server.telemetry.statistics.ModelStatistics} first.
 */
@NullMarked
package io.nereid.server.telemetry.statistics;

import org.jspecify.annotations.NullMarked;
