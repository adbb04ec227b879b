package io.nereid.engine.telemetry.jfr;

import io.nereid.request.ModelKey;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.StackTrace;

/** An event of a model version. */
@Category("Nereid")
@StackTrace(false)
abstract class VersionEvent extends Event {
  @Label("Model")
  String model = "";

  @Label("Version")
  long version;

  /** Records the event of that version. */
  final void commit(ModelKey key) {
    model = key.name();
    version = key.version();
    commit();
  }
}
