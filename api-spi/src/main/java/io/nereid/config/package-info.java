/**
 * A model's configuration as records: {@code config.pbtxt} with the server's defaults applied.
 * Names follow Triton's {@code model_config.proto}, which defines each setting; text in {@code code
 * font} is the name of a field there. All types are immutable and usable from any thread. Read
 * {@link io.nereid.config.ModelConfig} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.config;
