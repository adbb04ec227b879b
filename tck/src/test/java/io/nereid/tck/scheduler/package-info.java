/**
 * Tests of the verifications of schedulers, with a correct scheduler and with defective ones:
 * {@link io.nereid.tck.scheduler.PlainScheduler} is a plain implementation of Triton's algorithm,
 * with one optional {@link io.nereid.tck.scheduler.Defect}. Read {@link
 * io.nereid.tck.scheduler.BrokenSchedulersTest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler;
