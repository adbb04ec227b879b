/**
 * The samples of {@code model_warmup}: read from the configuration and the model's directory once
 * for all instances that open together, before any of them executes one. How a sample is executed
 * is not known here. Read {@link io.nereid.engine.execution.warmup.Warmup} first, then {@link
 * io.nereid.engine.execution.warmup.SampleReader}. See "ModelWarmup" in Triton's {@code
 * model_config.proto}.
 */
@NullMarked
package io.nereid.engine.execution.warmup;

import org.jspecify.annotations.NullMarked;
