/**
 * The policy of the sequence batcher, which assigns sequences to slots of instances and selects the
 * requests that share a batch. Pure, as the parent package. Read {@link
 * io.nereid.engine.scheduling.policy.sequence.SequencePolicy} first.
 */
@NullMarked
package io.nereid.engine.scheduling.policy.sequence;

import org.jspecify.annotations.NullMarked;
