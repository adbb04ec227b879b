package io.nereid.server.http.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The size of a body by which its connection decides whether it is read in turn. */
class LargeBodyTest {
  private static final int PART = 1 << 18;

  /** An input that never ends, behind a beginning; notes the sizes of bodies that are read. */
  private static final class Endless implements InputOnly {
    private final ByteBuffer beginning;
    private final List<Long> bodySizes = new ArrayList<>();

    Endless(String beginning) {
      this.beginning = ByteBuffer.wrap(beginning.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public int read(ByteBuffer target) {
      int count = beginning.remaining();
      target.put(beginning);
      return count;
    }

    @Override
    public int read(ByteBuffer target, long bodySize) {
      bodySizes.add(bodySize);
      int count = target.remaining();
      target.position(target.limit());
      return count;
    }
  }

  private static void read(BodyReader body, int size) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(PART);
    int left = size;
    while (left > 0) {
      target.clear();
      left -= body.read(target);
    }
  }

  @Test
  void theSizeOfABodyIsTheOneThatItsHeadDeclares() throws IOException {
    var input = new Endless("");

    read(new LengthBody(new ConnectionInput(input), 2 * PART), 2 * PART);

    assertThat(input.bodySizes).containsExactly(2L * PART, 2L * PART);
  }

  @Test
  void theSizeOfABodyInChunksIsWhatHasCome() throws IOException {
    var input = new Endless("%x\r\n".formatted(4 * PART));

    read(new ChunkedBody(new ConnectionInput(input)), 3 * PART);

    assertThat(input.bodySizes).containsExactly(0L, (long) PART, 2L * PART);
  }
}
