package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * The end of a model version, from the moment when it accepts no more requests until it is closed.
 */
@Name("nereid.ModelUnload")
@Label("Model Unloaded")
@Description("From when a model version accepts no more requests until it is closed")
@Category("Nereid")
@StackTrace(false)
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ModelUnloadEvent extends Event {
  @Label("Model")
  private String model = "";

  @Label("Version")
  private long version;

  private ModelUnloadEvent() {}

  /** Begins the event of a version that accepts no more requests. */
  static ModelUnloadEvent started() {
    var event = new ModelUnloadEvent();
    event.begin();
    return event;
  }

  /** Records that the version is closed. */
  public void closed(ModelKey key) {
    model = key.name();
    version = key.version();
    commit();
  }
}
