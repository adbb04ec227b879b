/**
 * Scheduling decisions, without their effects: no thread, no clock, no memory. A policy is told
 * what happened to which {@link io.nereid.server.request.Ticket} and answers with {@link
 * io.nereid.server.scheduling.policy.SchedulingActions}; the same events at the same times give the
 * same actions, so that a run can be recorded and replayed. One thread at a time. Read {@link
 * io.nereid.server.scheduling.policy.SchedulingPolicy} first.
 */
@NullMarked
package io.nereid.server.scheduling.policy;

import org.jspecify.annotations.NullMarked;
