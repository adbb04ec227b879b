/**
 * The policy of the sequence batcher: which sequence has which slot of which instance, and which
 * requests share a batch. Pure, as the package above it. Read {@link
 * io.nereid.server.scheduling.policy.sequence.SequencePolicy} first.
 */
@NullMarked
package io.nereid.server.scheduling.policy.sequence;

import org.jspecify.annotations.NullMarked;
