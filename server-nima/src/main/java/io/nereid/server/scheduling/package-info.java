/**
 * How requests of a model version reach its instances. A scheduler has no thread: it decides on the
 * threads of connections, instances and the clock, one at a time. Knows no wire form; what to
 * decide is up to a {@link io.nereid.server.scheduling.policy.SchedulingPolicy}. Read {@link
 * io.nereid.server.scheduling.Scheduler} first, then {@link
 * io.nereid.server.scheduling.SchedulerLoop}.
 */
@NullMarked
package io.nereid.server.scheduling;

import org.jspecify.annotations.NullMarked;
