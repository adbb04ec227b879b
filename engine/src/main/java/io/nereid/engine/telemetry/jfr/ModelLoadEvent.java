package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/** The load of a model version, from its first read until it can serve or has failed. */
@Name("nereid.ModelLoad")
@Label("Model Loaded")
@Description("The load of a model version, with its warm-up")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ModelLoadEvent extends Event {
  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

  @Label("Instances")
  private int instances;

  @Label("Failed")
  private boolean failed;

  @Label("Reason")
  @Description("Why the load failed")
  private String reason = "";

  private ModelLoadEvent() {}

  /** Begins the event of a load. */
  static ModelLoadEvent started() {
    var event = new ModelLoadEvent();
    event.begin();
    return event;
  }

  /** Records that the version can serve. */
  public void loaded(ModelKey key, int instanceCount) {
    instances = instanceCount;
    record(key);
  }

  /** Records that the version cannot serve. */
  public void failed(ModelKey key, String failure) {
    failed = true;
    reason = failure;
    record(key);
  }

  private void record(ModelKey key) {
    model = key.name();
    version = key.version();
    commit();
  }
}
