package io.nereid.tck.scheduler;

/** What an implementer of {@link SchedulerVerification}s provides. */
public interface SchedulerFactory {
  /** Opens a scheduler without models; the test closes it. */
  SchedulerUnderTest openScheduler() throws Exception;
}
