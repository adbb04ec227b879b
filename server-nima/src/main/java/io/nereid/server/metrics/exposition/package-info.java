/**
 * The formats of Prometheus: families of metrics and their samples, as text or as protobuf
 * messages. Knows no metric. Used by the thread that serves a scrape. Read {@link
 * io.nereid.server.metrics.exposition.MetricWriter} first.
 */
@NullMarked
package io.nereid.server.metrics.exposition;

import org.jspecify.annotations.NullMarked;
