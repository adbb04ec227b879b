/**
 * What a model's scheduler can be held to: which requests share a batch, when it goes, in which
 * order answers come, and what becomes of those that wait too long. No socket: requests are handed
 * to the scheduler itself, its model is the backend {@link io.nereid.tck.gate}, and its time is a
 * {@link io.nereid.tck.scheduler.VirtualClock}, so that every outcome is certain and none needs a
 * pause.
 *
 * <p>An implementer extends each {@code *Verification} class and says how to open a {@link
 * io.nereid.tck.scheduler.SchedulerUnderTest}. Tests run on JUnit's threads. Read {@link
 * io.nereid.tck.scheduler.FormingVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler;
