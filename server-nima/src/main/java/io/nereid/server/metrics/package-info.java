/**
 * The Prometheus endpoint. Reads snapshots of statistics on the thread that serves the scrape. Read
 * {@link io.nereid.server.metrics.MetricsPage} first.
 */
@NullMarked
package io.nereid.server.metrics;

import org.jspecify.annotations.NullMarked;
