package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import org.jspecify.annotations.Nullable;

/** The execution of a batch by a backend. */
@Name("nereid.Execution")
@Label("Batch Executed")
@Description("The time that a backend took to execute a batch")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ExecutionEvent extends Event {
  private static final ExecutionEvent PROBE = new ExecutionEvent();

  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

  @Label("Instance")
  private String instance = "";

  @Label("Requests")
  private int size;

  @Label("Rows")
  private long rows;

  @Label("Failed")
  @Description("Whether the batch failed as a whole")
  private boolean failed;

  private ExecutionEvent() {}

  /** Begins the event of an execution; null if no recording has enabled it. */
  static @Nullable ExecutionEvent beginIfOn() {
    if (!PROBE.isEnabled()) {
      return null;
    }
    var event = new ExecutionEvent();
    event.begin();
    return event;
  }

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
      model = key.name();
      version = key.version();
      instance = name;
      size = requests;
      rows = batchRows;
      failed = batchFailed;
      commit();
    }
  }
}
