package io.nereid.server.frontend;

import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.telemetry.trace.RequestTrace;
import io.nereid.server.telemetry.access.AccessEntry;

/** What the line of a request in the access log has of the request itself. */
public final class AccessDetails {
  private AccessDetails() {}

  /** Adds the version that serves a request, its id, and its trace if it has one. */
  public static void add(AccessEntry entry, LoadedModel model, DecodedRequest request) {
    entry.model(model.key().name(), Long.toString(model.key().version()));
    entry.id(request.id());
    RequestTrace trace = request.trace();
    if (trace != null) {
      entry.trace(trace.id());
    }
  }
}
