package io.nereid.server.http;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.RegionKind;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.codec.json.RegionRequestReader;
import io.nereid.server.codec.json.RegionRequestReader.CudaRegion;
import io.nereid.server.codec.json.RegionRequestReader.SystemRegion;
import io.nereid.server.codec.json.RegionStatusWriter;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.HttpResponse;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;

/**
 * The handlers of {@code /v2/systemsharedmemory/...} and {@code /v2/cudasharedmemory/...}, Triton's
 * shared memory extensions. Runs on the connection's virtual thread.
 */
final class SharedMemoryRoutes {
  private final SharedRegions regions;
  private final BufferPool pool;
  private final RegionRequestReader reader;
  private final BodyDecoder bodyDecoder;
  private final LongWork longWork;

  SharedMemoryRoutes(
      SharedRegions regions,
      BufferPool pool,
      long maxInputSize,
      BodyDecoder bodyDecoder,
      LongWork longWork) {
    this.regions = regions;
    this.pool = pool;
    this.reader = new RegionRequestReader(maxInputSize);
    this.bodyDecoder = bodyDecoder;
    this.longWork = longWork;
  }

  void status(Route.SharedMemory route, HttpRequest request, HttpResponse response)
      throws IOException {
    byte[] body =
        longWork.call(
            request.client(),
            StatusWork.size(regions.count(route.kind(), route.region())),
            () -> RegionStatusWriter.write(regions.status(route.kind(), route.region())));
    HttpResponses.json(response, 200, body);
  }

  void register(Route.SharedMemory route, HttpRequest request, HttpResponse response)
      throws IOException {
    regions.requireAllowed();
    String name = route.region();
    if (name.isEmpty()) {
      throw InferenceException.invalid(
          "'region name' is necessary to register %s shared memory region"
              .formatted(route.kind().word()));
    }
    if (route.kind() == RegionKind.SYSTEM) {
      SystemRegion region = read(request, response, reader::system);
      regions.register(request.client(), name, region.key(), region.offset(), region.byteSize());
    } else {
      CudaRegion region = read(request, response, reader::cuda);
      regions.registerCuda(
          request.client(), name, region.rawHandle(), region.deviceId(), region.byteSize());
    }
    HttpResponses.json(response, "");
  }

  void unregister(Route.SharedMemory route, HttpResponse response) throws IOException {
    regions.unregister(route.kind(), route.region());
    HttpResponses.json(response, "");
  }

  private <T> T read(HttpRequest request, HttpResponse response, Function<MemorySegment, T> reading)
      throws IOException {
    try (Lease body = bodyDecoder.readPlain(request, response, pool)) {
      return reading.apply(body.segment());
    }
  }
}
