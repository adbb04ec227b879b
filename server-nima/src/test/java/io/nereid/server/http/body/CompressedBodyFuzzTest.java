package io.nereid.server.http.body;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.server.codec.LongWork;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.ReceivedRequests;
import io.nereid.tensor.Elements;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Arrays;
import java.util.OptionalInt;
import java.util.zip.GZIPInputStream;
import java.util.zip.InflaterInputStream;

/** Any bytes as a body in gzip or deflate, and the JDK's streams as the judge of accepted ones. */
class CompressedBodyFuzzTest {
  private static final int MAX_INPUT_SIZE = 1 << 16;

  private final BodyDecoder decoder =
      new BodyDecoder(
          MAX_INPUT_SIZE, new RequestMemory(Long.MAX_VALUE, Long.MAX_VALUE), new LongWork(1));

  /** The first byte of an input: odd for gzip. */
  @FuzzTest
  void isDecompressedOrRejected(byte[] input) {
    if (input.length < 2) {
      return;
    }
    boolean gzip = (input[0] & 1) != 0;
    byte[] body = Arrays.copyOfRange(input, 1, input.length);
    String head =
        "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: %s\r\nContent-Length: %d\r\n"
            .formatted(gzip ? "gzip" : "deflate", body.length);
    FuzzedMemory.run(
        input,
        memory -> {
          try {
            HttpRequest request = ReceivedRequests.of(head, new ByteArrayInputStream(body));
            try (Lease read =
                decoder.read(
                    request,
                    BodyDecoder.encoding(request, ReceivedRequests.response()),
                    OptionalInt.empty(),
                    memory)) {
              assertThat(read.segment().byteSize()).isLessThanOrEqualTo(MAX_INPUT_SIZE);
              assertThat(read.segment().toArray(Elements.BYTE)).isEqualTo(decompressed(body));
            }
          } catch (InferenceException rejected) {
            assertThat(rejected.getMessage()).isNotEmpty();
            assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
          } catch (IOException broken) {
            throw new UncheckedIOException(broken);
          }
        });
  }

  /** Decompresses what begins as gzip does as such, whatever the header says. */
  private static byte[] decompressed(byte[] body) throws IOException {
    boolean gzip = body.length > 1 && body[0] == 0x1F && body[1] == (byte) 0x8B;
    var compressed = new ByteArrayInputStream(body);
    try (InputStream stream =
        gzip ? new GZIPInputStream(compressed) : new InflaterInputStream(compressed)) {
      return stream.readAllBytes();
    }
  }
}
