package io.nereid.tck.scheduler;

/** A loaded model of a {@link SchedulerUnderTest}. */
public interface SchedulerModel {
  /**
   * Submits a request to the model as a front end does: it is validated and queued. When this
   * returns, the scheduler has made every decision that follows from it.
   *
   * @return the response of this request; failed already if it was rejected. {@link
   *     TestResponse#onCancel} has been called
   */
  TestResponse submit(TestRequest request);

  /** The model's statistics; exact once the scheduler has settled. */
  Statistics statistics();
}
