/**
 * Verifications of sequence batchers: the slot of a sequence, its controls and its state, and which
 * requests are rejected. Read {@link io.nereid.tck.scheduler.sequence.DirectSequenceVerification}
 * first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler.sequence;
