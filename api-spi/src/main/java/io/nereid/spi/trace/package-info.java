/**
 * The contract between the server and what sends its traces elsewhere. A {@link
 * io.nereid.spi.trace.TraceExporterProvider}, found by {@link java.util.ServiceLoader}, opens a
 * {@link io.nereid.spi.trace.TraceExporter}, which gets each trace as a tree of {@link
 * io.nereid.spi.trace.TraceSpan}s once its request has ended. The server samples requests, and
 * knows their contexts and times.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.spi.trace;
