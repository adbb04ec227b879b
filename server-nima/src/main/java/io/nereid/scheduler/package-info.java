/**
 * How a model's requests reach its instances. A scheduler belongs to one model version; it has no
 * thread, and decides on those of the connections, the instances and the clock. It knows nothing of
 * protocols, and what to decide is the {@code policy} package's. Read {@link
 * io.nereid.scheduler.Scheduler} first, then {@link io.nereid.scheduler.SchedulerLoop}.
 */
@NullMarked
package io.nereid.scheduler;

import org.jspecify.annotations.NullMarked;
