package io.nereid.server.codec;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.region.SharedRegions;
import io.nereid.engine.request.DecodedRequest;
import io.nereid.engine.testing.Failures;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.json.JsonRequestReader;
import io.nereid.tensor.Elements;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Request bodies in leases of a checked pool. After each test all leases must be released. */
public final class Bodies implements AfterEachCallback {
  /** The required member of a request. */
  public static final String INPUTS =
      "\"inputs\":[{\"name\":\"A\",\"datatype\":\"INT8\",\"shape\":[1],\"data\":[7]}]";

  public final CheckedBufferPool pool = new CheckedBufferPool();
  public final JsonRequestReader reader = new JsonRequestReader(4096, SharedRegions.NONE);

  @Override
  public void afterEach(ExtensionContext test) {
    assertThat(pool.outstanding()).as("unreleased leases").isZero();
  }

  public Lease lease(byte[] bytes) {
    Lease lease = pool.lease(bytes.length);
    MemorySegment.copy(MemorySegment.ofArray(bytes), 0, lease.segment(), 0, bytes.length);
    return lease;
  }

  public DecodedRequest read(String json, byte... binary) {
    return read(json.getBytes(StandardCharsets.UTF_8), binary);
  }

  public DecodedRequest read(byte[] json, byte... binary) {
    byte[] body = new byte[json.length + binary.length];
    System.arraycopy(json, 0, body, 0, json.length);
    System.arraycopy(binary, 0, body, json.length, binary.length);
    return reader.read(lease(body), json.length, "m", false, pool);
  }

  /** A request with one input of that type, shape and data. */
  public static String input(String dataType, String shape, String data) {
    return "{\"inputs\":[{\"name\":\"A\",\"datatype\":\"%s\",\"shape\":%s,\"data\":%s}]}"
        .formatted(dataType, shape, data);
  }

  /** An input of that name, type and shape, whose {@code size} bytes follow the JSON. */
  public static String binaryInput(String name, String dataType, String shape, String size) {
    return "{\"name\":\"%s\",\"datatype\":\"%s\",\"shape\":%s,\"parameters\":{\"binary_data_size\":%s}}"
        .formatted(name, dataType, shape, size);
  }

  public static byte[] bytes(MemorySegment segment) {
    return segment.toArray(Elements.BYTE);
  }

  public void assertRejected(StatusCode code, String message, String json, byte... binary) {
    Failures.assertRejected(code, message, () -> read(json, binary).close());
  }
}
