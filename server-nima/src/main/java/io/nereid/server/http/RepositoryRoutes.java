package io.nereid.server.http;

import io.helidon.webserver.http.ServerRequest;
import io.helidon.webserver.http.ServerResponse;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.json.RepositoryIndexWriter;
import io.nereid.server.codec.json.RepositoryRequestReader;
import io.nereid.server.memory.BufferPool;
import io.nereid.server.model.control.LoadParameters;
import io.nereid.server.model.control.ModelControl;
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

  RepositoryRoutes(ModelControl models, BufferPool pool, long maxInputSize) {
    this.models = models;
    this.pool = pool;
    this.reader = new RepositoryRequestReader(maxInputSize);
    this.bodyDecoder = new BodyDecoder(maxInputSize);
  }

  /** Responds with the models of all repositories: a name in the path is ignored, as in Triton. */
  void index(ServerRequest request, ServerResponse response) {
    boolean readyOnly = read(request, response, reader::readyOnly);
    HttpResponses.json(response, 200, RepositoryIndexWriter.write(models.index(readyOnly)));
  }

  /** Responds once the model is loaded. */
  void load(Route.ModelControl route, ServerRequest request, ServerResponse response) {
    requireNoRepository(route);
    LoadParameters parameters = read(request, response, reader::loadParameters);
    models.load(route.model(), parameters);
    HttpResponses.json(response, "");
  }

  /** Responds once the model accepts no more requests. */
  void unload(Route.ModelControl route, ServerRequest request, ServerResponse response) {
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

  private <T> T read(
      ServerRequest request, ServerResponse response, Function<MemorySegment, T> reading) {
    try (RequestBody body = bodyDecoder.read(request, response, 0, pool)) {
      return reading.apply(body.segment());
    }
  }
}
