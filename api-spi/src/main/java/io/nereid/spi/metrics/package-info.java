/**
 * The metrics of backends. A backend counts by what {@link io.nereid.spi.metrics.BackendMetrics}
 * returns; the server and the kit read them from a {@link io.nereid.spi.metrics.MetricStore}. Any
 * thread. Read {@link io.nereid.spi.metrics.BackendMetrics} first.
 */
@NullMarked
package io.nereid.spi.metrics;

import org.jspecify.annotations.NullMarked;
