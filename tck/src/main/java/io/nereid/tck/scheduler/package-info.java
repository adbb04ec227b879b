/**
 * Verifications of schedulers: which requests share a batch, when it is dispatched, the order of
 * responses, and timeouts. No socket: requests are submitted to the scheduler itself, its model is
 * the backend {@link io.nereid.tck.gate}, and the test advances its clock, so that every outcome is
 * deterministic and no test sleeps.
 *
 * <p>An implementer extends each {@code *Verification} class and implements how to open a {@link
 * io.nereid.tck.scheduler.SchedulerUnderTest}. Tests run on JUnit's threads. Read {@link
 * io.nereid.tck.scheduler.FormingVerification} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler;
