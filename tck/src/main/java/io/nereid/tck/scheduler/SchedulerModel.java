package io.nereid.tck.scheduler;

/** A loaded model of a {@link SchedulerUnderTest}. */
public interface SchedulerModel {
  /**
   * Hands a request to the model as a front end does: it is checked, and queued. When this returns,
   * all that the scheduler decides because of it has been decided.
   *
   * @return a new answer of this request, also if it was refused: then it has failed already.
   *     {@link TestAnswer#onCancel} has been called
   */
  TestAnswer submit(TestRequest request);

  /** What the model has done so far; exact once the scheduler has settled. */
  Statistics statistics();
}
