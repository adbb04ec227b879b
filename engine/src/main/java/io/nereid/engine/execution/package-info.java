/**
 * The instances of a model: their threads, what other threads tell them, permits, loans to other
 * threads, health and warm-up. How a batch is executed is in {@code batch}, and how batches are
 * formed is not known here. One platform thread per instance makes every call to it, except for
 * short batches that a thread executes which awaits their response. Read {@link
 * io.nereid.engine.execution.InstanceGroup} and {@link io.nereid.engine.execution.Instance} first,
 * then {@link io.nereid.engine.execution.InstanceRunner}.
 */
@NullMarked
package io.nereid.engine.execution;

import org.jspecify.annotations.NullMarked;
