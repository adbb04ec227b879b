/**
 * The verifications of schedulers, held to a scheduler that is right and to others that are not:
 * {@link io.nereid.tck.scheduler.PlainScheduler} is the specification's algorithm in its plainest
 * form, and can be given any one {@link io.nereid.tck.scheduler.Defect}. Read {@link
 * io.nereid.tck.scheduler.BrokenSchedulersTest} first.
 */
@org.jspecify.annotations.NullMarked
package io.nereid.tck.scheduler;
