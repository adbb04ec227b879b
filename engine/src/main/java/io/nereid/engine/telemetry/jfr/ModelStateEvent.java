package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Description;
import jdk.jfr.Label;
import jdk.jfr.Name;

/** A change of the state of a model version. */
@Name("nereid.ModelState")
@Label("Model State")
@Description("A model version has another state than before")
@SuppressWarnings("UnusedVariable") // the recorder reads the fields
public final class ModelStateEvent extends VersionEvent {
  @Label("From")
  @Description("Empty if the version was not known")
  private String from = "";

  @Label("To")
  private String to = "";

  @Label("Reason")
  @Description("Why the version is unavailable")
  private String reason = "";

  /**
   * Records a change.
   *
   * @param oldState empty if the version was not known
   * @param why the reason if the version is unavailable, else empty
   */
  static void record(ModelKey key, String oldState, String newState, String why) {
    var event = new ModelStateEvent();
    event.from = oldState;
    event.to = newState;
    event.reason = why;
    event.commit(key);
  }
}
