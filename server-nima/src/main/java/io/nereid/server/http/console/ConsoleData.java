package io.nereid.server.http.console;

import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.ModelEntry;
import io.nereid.engine.model.ModelId;
import io.nereid.engine.model.ModelState;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.engine.scheduling.journal.WatchedDecisions;
import io.nereid.engine.telemetry.statistics.StatisticsSnapshot;
import io.nereid.engine.telemetry.trace.Tracer;
import io.nereid.request.ModelKey;
import io.nereid.server.codec.LongWork;
import io.nereid.server.frontend.FrontEndServices;
import io.nereid.server.frontend.ShownOption;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.ConsoleQuery;
import io.nereid.server.http.route.HttpResponses;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** What the pages of the console show and the protocol does not tell. Thread-safe. */
final class ConsoleData {
  private final ConsoleSettings settings;
  private final FrontEndServices services;
  private final RequestAdmission engine;
  private final WatchedDecisions decisions;
  private final ModelSources sources;
  private final List<ShownOption> options;

  /** The models when a page asked last. */
  private Map<ModelId, ModelEntry> models = Map.of();

  /** How often they had changed by then. */
  private long changes;

  ConsoleData(
      ConsoleSettings settings,
      FrontEndServices services,
      WatchedDecisions decisions,
      ModelSources sources,
      List<ShownOption> options) {
    this.options = options;
    this.decisions = decisions;
    this.sources = sources;
    this.settings = settings;
    this.services = services;
    this.engine = services.engine();
  }

  /** Responds with JSON; 404 if there is no such path. */
  void handle(ConsoleQuery query, HttpRequest request, HttpResponse response) throws IOException {
    switch (query) {
      case ConsoleQuery.Server() ->
          HttpResponses.json(
              response,
              ServerWriter.identity(
                  services.identity(), settings, engine.isLive(), engine.obstacle()));
      case ConsoleQuery.Models() -> models(request, response);
      case ConsoleQuery.Live() -> live(request, response);
      case ConsoleQuery.Options() -> HttpResponses.json(response, ServerWriter.options(options));
      case ConsoleQuery.Log(long first) ->
          HttpResponses.json(
              response, ServerWriter.log(services.runtime().log().tail().since(first)));
      case ConsoleQuery.Configuration(String model) ->
          configuration(ModelDirectory.checkedName(model), request, response);
      case ConsoleQuery.Decisions(ModelKey model) -> decisions(model, request, response);
      case ConsoleQuery.Requests(String model) -> requests(model, request, response);
      case ConsoleQuery.Unknown() -> HttpResponses.error(response, 404, "Not Found");
    }
  }

  private void configuration(String model, HttpRequest request, HttpResponse response)
      throws IOException {
    LongWork longWork = services.longWork();
    HttpResponses.json(
        response, longWork.call(request.client(), LongWork.LEAST, () -> sources.describe(model)));
  }

  /** The index of the repositories, which are read for it, with what the loaded versions do. */
  private void models(HttpRequest request, HttpResponse response) throws IOException {
    List<ModelIndexEntry> index = services.models().index(false);
    Map<ModelKey, LoadedModel> loaded = new HashMap<>();
    for (ModelEntry entry : engine.models().values()) {
      for (ModelState state : entry.versions().values()) {
        LoadedModel model = state.model();
        if (model != null) {
          loaded.put(model.key(), model);
        }
      }
    }
    HttpResponses.list(
        request,
        response,
        services.longWork(),
        index.size(),
        () -> ModelsWriter.write(index, loaded));
  }

  /** The counts of all models since they were loaded; a page makes rates of two responses. */
  private void live(HttpRequest request, HttpResponse response) throws IOException {
    List<StatisticsSnapshot> counts = engine.metrics();
    long nanos = System.nanoTime();
    long version = changes();
    HttpResponses.list(
        request,
        response,
        services.longWork(),
        counts.size(),
        () -> LiveWriter.write(nanos, version, engine.obstacle(), counts));
  }

  /** The last decisions on a model; POST has those recorded that follow within a minute. */
  private void decisions(ModelKey model, HttpRequest request, HttpResponse response)
      throws IOException {
    if (request.method().equals("POST")) {
      decisions.watch(model);
    }
    WatchedDecisions.Watched watched = decisions.decisions(model);
    HttpResponses.list(
        request,
        response,
        services.longWork(),
        watched.decisions().size(),
        () -> DecisionsWriter.write(watched));
  }

  /** The slowest and the failed requests; POST has those kept that end within a minute. */
  private void requests(String model, HttpRequest request, HttpResponse response)
      throws IOException {
    Tracer tracer = services.runtime().tracer();
    if (request.method().equals("POST")) {
      tracer.watch(model);
    }
    HttpResponses.json(response, RequestsWriter.write(tracer.recent(model)));
  }

  /** Differs from the number before if a model has changed its state since. */
  private synchronized long changes() {
    Map<ModelId, ModelEntry> now = engine.models();
    if (!now.equals(models)) {
      models = now;
      changes++;
    }
    return changes;
  }
}
