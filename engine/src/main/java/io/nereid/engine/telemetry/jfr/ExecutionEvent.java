package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** The execution of a batch by a backend. */
@Name("nereid.Execution")
@Label("Batch Executed")
@Description("The time that a backend took to execute a batch")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ExecutionEvent extends VersionEvent {
  static final ExecutionEvent PROBE = new ExecutionEvent();

  @Label("Instance")
  private String instance = "";

  @Label("Requests")
  private int size;

  @Label("Rows")
  private long rows;

  @Label("Failed")
  @Description("Whether the batch failed as a whole")
  private boolean failed;

  /**
   * Records the end of the execution.
   *
   * @param name the instance's name
   * @param requests the number of requests in the batch
   * @param batchFailed whether the batch failed as a whole
   */
  public void record(ModelKey key, String name, int requests, long batchRows, boolean batchFailed) {
    end();
    if (shouldCommit()) {
      instance = name;
      size = requests;
      rows = batchRows;
      failed = batchFailed;
      commit(key);
    }
  }
}
