package io.nereid.server.http.connection;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.server.http.message.BadRequestException;
import io.nereid.server.http.message.BodyReader;
import io.nereid.server.http.message.ConnectionInput;
import io.nereid.server.http.message.Framing;
import io.nereid.server.http.message.HeadLimits;
import io.nereid.server.http.message.HeadReader;
import io.nereid.server.http.message.RequestBody;
import io.nereid.server.http.message.RequestHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** Any bytes that a client sends, in any pieces, and {@link ReferenceRequests} as the judge. */
class ConnectionFuzzTest {
  /** Above the size of any input: the reference has none. */
  private static final HeadLimits LIMITS = new HeadLimits(1 << 20, 1 << 20, 1 << 20);

  /** The first byte of an input: how many bytes arrive at a time; 0 for all at once. */
  @FuzzTest
  void hasTheRequestsOfTheReference(byte[] input) {
    if (input.length == 0) {
      return;
    }
    byte[] sent = Arrays.copyOfRange(input, 1, input.length);
    int piece = input[0] == 0 ? Math.max(1, sent.length) : input[0] & 0xff;
    FuzzedMemory.run(
        input, _ -> assertThat(requests(sent, piece)).isEqualTo(ReferenceRequests.of(sent)));
  }

  private static List<String> requests(byte[] sent, int piece) {
    var pieces = new Pieces(new ByteArrayInputStream(sent), piece);
    var input = new ConnectionInput(new ReceivedRequests.StreamTransport(pieces));
    List<String> described = new ArrayList<>();
    try {
      while (true) {
        described.add(next(input));
      }
    } catch (EOFException _) {
      described.add(ReferenceRequests.END);
    } catch (BadRequestException refused) {
      assertThat(refused.status()).isBetween(400, 599);
      assertThat(refused.getMessage()).isNotEmpty();
      described.add(ReferenceRequests.BAD);
    } catch (IOException broken) {
      throw new UncheckedIOException(broken);
    }
    return described;
  }

  private static String next(ConnectionInput input) throws IOException {
    RequestHead head = new HeadReader(LIMITS).read(input);
    Framing.expectsContinue(head);
    BodyReader reader = Framing.body(head, input);
    var body = new ByteArrayOutputStream();
    var target = ByteBuffer.allocate(100);
    while (reader.read(target) >= 0) {
      body.write(target.array(), 0, target.position());
      target.clear();
    }
    assertThat(reader.isRead()).isTrue();
    assertPathIsFound(head, reader, input);
    return ReferenceRequests.described(head.method(), head.target(), body.toString(ISO_8859_1));
  }

  private static void assertPathIsFound(RequestHead head, BodyReader body, ConnectionInput input) {
    try {
      var progress = new RequestBody(body, ReceivedRequests.NO_PROGRESS);
      String path = new HttpRequest(head, progress, input.ahead(), ClientKey.LOCAL).path();
      assertThat(path.startsWith("/") || path.equals("*")).as(path).isTrue();
      assertThat(path).doesNotContain("?");
    } catch (BadRequestException neitherPathNorUri) {
      assertThat(head.target()).doesNotStartWith("/");
    }
  }

  /** A stream that returns at most so many bytes at a time. */
  private static final class Pieces extends FilterInputStream {
    private final int size;

    Pieces(InputStream bytes, int size) {
      super(bytes);
      this.size = size;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      return super.read(target, offset, Math.min(length, size));
    }
  }
}
