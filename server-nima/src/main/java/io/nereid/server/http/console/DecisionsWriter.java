package io.nereid.server.http.console;

import com.google.gson.stream.JsonWriter;
import io.nereid.engine.scheduling.journal.Entry;
import io.nereid.engine.scheduling.journal.WatchedDecisions.Watched;
import io.nereid.engine.scheduling.journal.replay.ExplainedDecision;
import io.nereid.engine.scheduling.journal.replay.ExplainedDecision.ExplainedAction;
import io.nereid.server.codec.json.control.JsonBody;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** A writer of the decisions of a scheduler, with the sentences of a replay. */
final class DecisionsWriter {
  private DecisionsWriter() {}

  /** The body: how long decisions are still recorded, and those that were. */
  static byte[] write(Watched watched) {
    List<ExplainedDecision> explained =
        ExplainedDecision.of(watched.decisions(), watched.isBatching(), watched.costs());
    return JsonBody.of(json -> {
      json.beginObject().name("leftMillis").value(Math.max(0, watched.leftNanos() / 1_000_000));
      json.name("decisions").beginArray();
      for (ExplainedDecision decision : explained) {
        decision(json, decision);
      }
      json.endArray().endObject();
    });
  }

  private static void decision(JsonWriter json, ExplainedDecision explained) throws IOException {
    json.beginObject().name("nanos").value(explained.nanos());
    json.name("events").beginArray();
    for (Entry entry : explained.decision().entries()) {
      event(json, entry);
    }
    json.endArray().name("actions").beginArray();
    for (ExplainedAction action : explained.actions()) {
      action(json, action);
    }
    json.endArray().endObject();
  }

  /** Writes what a time line shows of an event: not all have something. */
  private static void event(JsonWriter json, Entry entry) throws IOException {
    switch (entry) {
      case Entry.Arrived request -> {
        json.beginObject().name("kind").value("arrived").name("ticket").value(request.ticket());
        json.name("id").value(request.id()).name("rows").value(request.rows());
        json.name("nanos").value(request.arrivalNanos()).endObject();
      }
      case Entry.Executed(int instance, long endNanos) -> {
        json.beginObject().name("kind").value("executed").name("instance").value(instance);
        json.name("nanos").value(endNanos).endObject();
      }
      case Entry.Cancelled(long ticket) -> {
        json.beginObject().name("kind").value("cancelled");
        json.name("ticket").value(ticket).endObject();
      }
      case Entry.Event _, Entry.Action _ -> {}
    }
  }

  private static void action(JsonWriter json, ExplainedAction explained) throws IOException {
    json.beginObject().name("text").value(explained.text());
    switch (explained.action()) {
      case Entry.Dispatched(int instance, var reason, List<Long> tickets) -> {
        json.name("kind").value("batch").name("instance").value(instance);
        json.name("reason").value(reason.name().toLowerCase(Locale.ROOT));
        json.name("tickets").beginArray();
        for (long ticket : tickets) {
          json.value(ticket);
        }
        json.endArray();
      }
      case Entry.Rejected(long ticket, _) ->
          json.name("kind").value("refused").name("ticket").value(ticket);
      case Entry.Refused(long ticket, _) ->
          json.name("kind").value("refused").name("ticket").value(ticket);
      case Entry.Action _ -> json.name("kind").value("other");
    }
    json.endObject();
  }
}
