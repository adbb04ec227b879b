/**
 * What schedulers decide, and nothing of how it comes about: no thread, no clock, no memory, no
 * request, only {@link io.nereid.policy.Ticket}s. A policy is told what happened and answers with
 * {@link io.nereid.policy.Steps}; the same events at the same times give the same steps, so that a
 * run can be recorded and replayed. One thread at a time. Read {@link
 * io.nereid.policy.SchedulingPolicy} first.
 */
@NullMarked
package io.nereid.policy;

import org.jspecify.annotations.NullMarked;
