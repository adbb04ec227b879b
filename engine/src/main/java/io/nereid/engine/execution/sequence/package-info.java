/**
 * Tensors that an instance of a sequence model reads besides the inputs of its requests: controls,
 * states and padding. Used by the instance's thread. Read {@link
 * io.nereid.engine.execution.sequence.SequenceState} first.
 */
@NullMarked
package io.nereid.engine.execution.sequence;

import org.jspecify.annotations.NullMarked;
