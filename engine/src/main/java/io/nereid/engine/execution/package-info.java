/**
 * The instances of a model, their warm-up, and the execution of batches on them. One platform
 * thread per instance makes every call to it, except for short batches that a thread executes which
 * awaits their response. How batches are formed is not known here. Read {@link
 * io.nereid.engine.execution.InstanceGroup} and {@link io.nereid.engine.execution.Instance} first,
 * then {@link io.nereid.engine.execution.InstanceRunner} and {@link
 * io.nereid.engine.execution.BatchExecutions}.
 */
@NullMarked
package io.nereid.engine.execution;

import org.jspecify.annotations.NullMarked;
