/**
 * How a model's requests reach its instances. A scheduler belongs to one model version and is
 * called by the threads of the connections; it knows nothing of protocols. Read {@link
 * io.nereid.scheduler.Scheduler} first.
 */
@NullMarked
package io.nereid.scheduler;

import org.jspecify.annotations.NullMarked;
