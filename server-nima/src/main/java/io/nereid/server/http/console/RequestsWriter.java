package io.nereid.server.http.console;

import com.google.gson.stream.JsonWriter;
import io.nereid.engine.telemetry.trace.RecentRequest;
import io.nereid.engine.telemetry.trace.RecentRequests;
import io.nereid.engine.telemetry.trace.TracePoint;
import io.nereid.server.codec.json.control.JsonBody;
import java.io.IOException;
import java.util.List;
import java.util.Map;

/** A writer of the slowest and the failed requests, with the times of their stages. */
final class RequestsWriter {
  private static final int NANOS_PER_MILLI = 1_000_000;

  private RequestsWriter() {}

  /** The body: how long requests are still kept, and those that were. */
  static byte[] write(RecentRequests.Kept kept) {
    return JsonBody.of(json -> {
      json.beginObject();
      json.name("leftMillis").value(Math.max(0, kept.leftNanos() / NANOS_PER_MILLI));
      requests(json.name("slowest"), kept.slowest(), kept.nanos());
      requests(json.name("failed"), kept.failed(), kept.nanos());
      json.endObject();
    });
  }

  private static void requests(JsonWriter json, List<RecentRequest> requests, long now)
      throws IOException {
    json.beginArray();
    for (RecentRequest request : requests) {
      long ended = request.startNanos() + request.nanos();
      json.beginObject().name("model").value(request.model());
      json.name("id").value(request.id());
      json.name("trace").value(request.trace());
      json.name("failure").value(request.failure());
      json.name("ageMillis").value((now - ended) / NANOS_PER_MILLI);
      json.name("nanos").value(request.nanos());
      json.name("parts").beginArray();
      for (RecentRequest.Part part : request.parts()) {
        part(json, part);
      }
      json.endArray().endObject();
    }
    json.endArray();
  }

  private static void part(JsonWriter json, RecentRequest.Part part) throws IOException {
    json.beginObject().name("model").value(part.model());
    json.name("version").value(part.version());
    json.name("cached").value(part.isCached());
    json.name("stages").beginObject();
    for (Map.Entry<TracePoint, Long> stage : part.stages().entrySet()) {
      json.name(stage.getKey().name()).value(stage.getValue());
    }
    json.endObject().endObject();
  }
}
