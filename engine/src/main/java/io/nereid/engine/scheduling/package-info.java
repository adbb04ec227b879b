/**
 * Schedulers, which dispatch the requests of a model version to its instances. A scheduler has no
 * thread: threads of connections, instances and the clock run it, one at a time. It knows no wire
 * form and leaves decisions to a {@link io.nereid.engine.scheduling.policy.SchedulingPolicy}. Read
 * {@link io.nereid.engine.scheduling.Scheduler} first, then {@link
 * io.nereid.engine.scheduling.SchedulerLoop}.
 */
@NullMarked
package io.nereid.engine.scheduling;

import org.jspecify.annotations.NullMarked;
