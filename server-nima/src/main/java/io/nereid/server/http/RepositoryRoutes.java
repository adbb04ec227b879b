package io.nereid.server.http;

import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.RepositoryIndexWriter;
import io.nereid.server.codec.json.RepositoryRequestReader;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.memory.Lease;
import io.nereid.server.model.control.LoadParameters;
import io.nereid.server.model.control.ModelControl;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * The handlers of {@code POST /v2/repository/...}, Triton's model repository extension. Runs on the
 * connection's virtual thread, which waits until a model is loaded.
 */
final class RepositoryRoutes {
  private final ModelControl models;
  private final BufferPool pool;
  private final RepositoryRequestReader reader;
  private final BodyDecoder bodyDecoder;

  RepositoryRoutes(
      ModelControl models, BufferPool pool, long maxInputSize, BodyDecoder bodyDecoder) {
    this.models = models;
    this.pool = pool;
    this.reader = new RepositoryRequestReader(maxInputSize);
    this.bodyDecoder = bodyDecoder;
  }

  /** Responds with the models of all repositories: a name in the path is ignored, as in Triton. */
  void index(HttpRequest request, HttpResponse response) throws IOException {
    boolean readyOnly = read(request, response, reader::readyOnly);
    HttpResponses.json(response, 200, RepositoryIndexWriter.write(models.index(readyOnly)));
  }

  /** Responds once the model is loaded. */
  void load(Route.ModelControl route, HttpRequest request, HttpResponse response)
      throws IOException {
    requireNoRepository(route);
    LoadParameters parameters = read(request, response, reader::loadParameters);
    models.load(route.model(), parameters);
    HttpResponses.json(response, "");
  }

  /** Responds once the model accepts no more requests. */
  void unload(Route.ModelControl route, HttpRequest request, HttpResponse response)
      throws IOException {
    requireNoRepository(route);
    boolean dependents = read(request, response, reader::unloadDependents);
    models.unload(route.model(), dependents);
    HttpResponses.json(response, "");
  }

  private static void requireNoRepository(Route.ModelControl route) {
    if (!route.repository().isEmpty()) {
      throw InferenceException.unsupported("'repository_name' specification is not supported");
    }
  }

  private <T> T read(HttpRequest request, HttpResponse response, Function<MemorySegment, T> reading)
      throws IOException {
    try (Lease body = bodyDecoder.readDocument(request, response, pool)) {
      return reading.apply(body.segment());
    }
  }
}
