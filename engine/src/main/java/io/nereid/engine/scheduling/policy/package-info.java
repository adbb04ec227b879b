/**
 * Scheduling decisions without their effects: no thread, no clock, no memory. A policy receives
 * events about {@link io.nereid.engine.request.Ticket tickets} and instances and calls {@link
 * io.nereid.engine.scheduling.policy.SchedulingActions}. The same events at the same times give the
 * same actions, so that decisions can be recorded and replayed. One thread at a time. Here is what
 * the policies have in common; {@code dynamic} and {@code sequence} have one each. Read {@link
 * io.nereid.engine.scheduling.policy.SchedulingPolicy} first.
 */
@NullMarked
package io.nereid.engine.scheduling.policy;

import org.jspecify.annotations.NullMarked;
