/**
 * A model's configuration as records: what {@code config.pbtxt} says after the server's defaults.
 * Names are those of Triton's {@code ModelConfig}. Values, usable from any thread. Read {@link
 * io.nereid.config.ModelConfig} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.config;
