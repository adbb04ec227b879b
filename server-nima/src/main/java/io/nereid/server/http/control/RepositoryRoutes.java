package io.nereid.server.http.control;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.RepositoryIndexResponse.ModelIndex;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.control.RepositoryIndexWriter;
import io.nereid.server.codec.json.control.RepositoryRequestReader;
import io.nereid.server.frontend.StatusMessages;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import java.io.IOException;
import java.util.List;

/**
 * The handlers of {@code POST /v2/repository/...}, Triton's model repository extension, and of
 * {@code GET /v2/models}, KServe's list of models. Runs on the connection's virtual thread, which
 * waits until a model is loaded.
 */
public record RepositoryRoutes(
    ModelControl models,
    BufferPool pool,
    BodyDecoder bodyDecoder,
    RequestMemory memory,
    LongWork longWork) {
  /** Responds with the models of all repositories: a name in the path is ignored, as in Triton. */
  public void index(HttpRequest request, HttpResponse response) throws IOException {
    boolean readyOnly =
        bodyDecoder.readPlain(request, response, pool, RepositoryRequestReader::readyOnly);
    List<ModelIndexEntry> entries = models.index(readyOnly);
    HttpResponses.list(
        request,
        response,
        longWork,
        entries.size(),
        () -> RepositoryIndexWriter.write(rows(entries)));
  }

  /** Responds with the models that are ready, and the states of all versions that are known. */
  public void models(HttpRequest request, HttpResponse response) throws IOException {
    List<ModelIndexEntry> entries = models.known();
    HttpResponses.list(
        request,
        response,
        longWork,
        entries.size(),
        () -> RepositoryIndexWriter.writeModels(rows(entries)));
  }

  private static List<ModelIndex> rows(List<ModelIndexEntry> entries) {
    return entries.stream().map(StatusMessages::row).toList();
  }

  /** Responds once the model is loaded. */
  public void load(Route.ModelControl route, HttpRequest request, HttpResponse response)
      throws IOException {
    request.telemetry().model(route.model(), "");
    requireNoRepository(route);
    models.requireLoadable(route.model());
    try (var files = new LoadedFiles(request.client())) {
      models.load(route.model(), files.read(request, response).of(request.client()));
    }
    HttpResponses.json(response, "");
  }

  /** Responds once the model accepts no more requests. */
  public void unload(Route.ModelControl route, HttpRequest request, HttpResponse response)
      throws IOException {
    request.telemetry().model(route.model(), "");
    requireNoRepository(route);
    models.requireUnloadable();
    boolean dependents =
        bodyDecoder.readPlain(request, response, pool, RepositoryRequestReader::unloadDependents);
    models.unload(route.model(), dependents);
    HttpResponses.json(response, "");
  }

  private static void requireNoRepository(Route.ModelControl route) {
    if (!route.repository().isEmpty()) {
      throw InferenceException.unsupported("'repository_name' specification is not supported");
    }
  }

  /** The parameters of a load request: its files are on the heap, counted until the load ends. */
  private final class LoadedFiles implements AutoCloseable {
    private final ClientKey client;
    private long counted;

    LoadedFiles(ClientKey client) {
      this.client = client;
    }

    LoadParameters read(HttpRequest request, HttpResponse response) throws IOException {
      LeaseSource source = memory.of(pool, client);
      try (Lease body = bodyDecoder.readDocument(request, response, source)) {
        long byteSize = body.segment().byteSize();
        memory.acquire(client, byteSize);
        counted = byteSize;
        return longWork.call(
            client, byteSize, () -> RepositoryRequestReader.loadParameters(body.segment()));
      }
    }

    @Override
    public void close() {
      memory.release(client, counted);
    }
  }
}
