package io.nereid.server.http;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.RepositoryIndexWriter;
import io.nereid.server.codec.json.RepositoryRequestReader;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.Function;

/**
 * The handlers of {@code POST /v2/repository/...}, Triton's model repository extension, and of
 * {@code GET /v2/models}, KServe's list of models. Runs on the connection's virtual thread, which
 * waits until a model is loaded.
 */
final class RepositoryRoutes {
  private final ModelControl models;
  private final BufferPool pool;
  private final RepositoryRequestReader reader;
  private final BodyDecoder bodyDecoder;
  private final RequestMemory memory;
  private final LongWork longWork;

  RepositoryRoutes(
      ModelControl models,
      BufferPool pool,
      long maxInputSize,
      BodyDecoder bodyDecoder,
      RequestMemory memory,
      LongWork longWork) {
    this.models = models;
    this.memory = memory;
    this.longWork = longWork;
    this.pool = pool;
    this.reader = new RepositoryRequestReader(maxInputSize);
    this.bodyDecoder = bodyDecoder;
  }

  /** Responds with the models of all repositories: a name in the path is ignored, as in Triton. */
  void index(HttpRequest request, HttpResponse response) throws IOException {
    boolean readyOnly = readPlain(request, response, reader::readyOnly);
    List<ModelIndexEntry> entries = models.index(readyOnly);
    byte[] body =
        longWork.call(
            request.client(),
            StatusWork.size(entries.size()),
            () -> RepositoryIndexWriter.write(entries));
    HttpResponses.json(response, 200, body);
  }

  /** Responds with the models that are ready, and the states of all versions that are known. */
  void models(HttpRequest request, HttpResponse response) throws IOException {
    List<ModelIndexEntry> entries = models.known();
    byte[] body =
        longWork.call(
            request.client(),
            StatusWork.size(entries.size()),
            () -> RepositoryIndexWriter.writeModels(entries));
    HttpResponses.json(response, 200, body);
  }

  /** Responds once the model is loaded. */
  void load(Route.ModelControl route, HttpRequest request, HttpResponse response)
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
  void unload(Route.ModelControl route, HttpRequest request, HttpResponse response)
      throws IOException {
    request.telemetry().model(route.model(), "");
    requireNoRepository(route);
    models.requireUnloadable();
    boolean dependents = readPlain(request, response, reader::unloadDependents);
    models.unload(route.model(), dependents);
    HttpResponses.json(response, "");
  }

  private static void requireNoRepository(Route.ModelControl route) {
    if (!route.repository().isEmpty()) {
      throw InferenceException.unsupported("'repository_name' specification is not supported");
    }
  }

  private <T> T readPlain(
      HttpRequest request, HttpResponse response, Function<MemorySegment, T> reading)
      throws IOException {
    try (Lease body = bodyDecoder.readPlain(request, response, pool)) {
      return reading.apply(body.segment());
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
        return longWork.call(client, byteSize, () -> reader.loadParameters(body.segment()));
      }
    }

    @Override
    public void close() {
      memory.release(client, counted);
    }
  }
}
