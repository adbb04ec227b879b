package io.nereid.server.http.control;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.region.RegionKind;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.control.MessageJson;
import io.nereid.server.codec.json.control.RegionRequestReader;
import io.nereid.server.codec.json.control.RegionRequestReader.CudaRegion;
import io.nereid.server.codec.json.control.RegionRequestReader.SystemRegion;
import io.nereid.server.frontend.StatusMessages;
import io.nereid.server.http.body.BodyDecoder;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import io.nereid.server.http.route.HttpResponses;
import io.nereid.server.http.route.Route;
import java.io.IOException;

/**
 * The handlers of {@code /v2/systemsharedmemory/...} and {@code /v2/cudasharedmemory/...}, Triton's
 * shared memory extensions. Runs on the connection's virtual thread.
 */
public record SharedMemoryRoutes(
    SharedRegions regions, BufferPool pool, BodyDecoder bodyDecoder, LongWork longWork) {
  public void status(Route.SharedMemory route, HttpRequest request, HttpResponse response)
      throws IOException {
    HttpResponses.list(
        request,
        response,
        longWork,
        regions.count(route.kind(), route.region()),
        () ->
            MessageJson.of(
                regions.status(route.kind(), route.region()).stream()
                    .map(StatusMessages::region)
                    .toList()));
  }

  public void register(Route.SharedMemory route, HttpRequest request, HttpResponse response)
      throws IOException {
    regions.requireAllowed();
    String name = route.region();
    if (name.isEmpty()) {
      throw InferenceException.invalid(
          "'region name' is necessary to register %s shared memory region"
              .formatted(route.kind().word()));
    }
    if (route.kind() == RegionKind.SYSTEM) {
      SystemRegion region =
          bodyDecoder.readPlain(request, response, pool, RegionRequestReader::system);
      regions.register(request.client(), name, region.key(), region.offset(), region.byteSize());
    } else {
      CudaRegion region = bodyDecoder.readPlain(request, response, pool, RegionRequestReader::cuda);
      regions.registerCuda(
          request.client(), name, region.rawHandle(), region.deviceId(), region.byteSize());
    }
    HttpResponses.json(response, "");
  }

  public void unregister(Route.SharedMemory route, HttpResponse response) throws IOException {
    regions.unregister(route.kind(), route.region());
    HttpResponses.json(response, "");
  }
}
