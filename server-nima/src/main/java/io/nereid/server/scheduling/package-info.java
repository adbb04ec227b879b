/**
 * Schedulers, which dispatch the requests of a model version to its instances. A scheduler has no
 * thread: threads of connections, instances and the clock run it, one at a time. It knows no wire
 * form and leaves decisions to a {@link io.nereid.server.scheduling.policy.SchedulingPolicy}. Read
 * {@link io.nereid.server.scheduling.Scheduler} first, then {@link
 * io.nereid.server.scheduling.SchedulerLoop}.
 */
@NullMarked
package io.nereid.server.scheduling;

import org.jspecify.annotations.NullMarked;
