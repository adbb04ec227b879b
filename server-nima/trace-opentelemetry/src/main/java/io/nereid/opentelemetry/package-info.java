/**
 * Traces by OpenTelemetry's SDK, sent by OTLP over HTTP. Knows nothing of requests: it gets trees
 * of spans. Called by the threads that serve requests; the SDK has threads of its own to send. Read
 * {@link io.nereid.opentelemetry.OpenTelemetryExporter} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.opentelemetry;
