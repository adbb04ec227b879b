/** Tests of the exporter alone. */
@org.jspecify.annotations.NullMarked
package io.nereid.opentelemetry;
