package io.nereid.server.http.message;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class LargeBodyTest {
  private static final int LARGE = 1 << 20;

  /** An input that never ends, behind a beginning; counts what is read of it. */
  private static final class Endless implements InputOnly {
    private final ByteBuffer beginning;
    private int alone;
    private int inTurn;

    Endless(String beginning) {
      this.beginning = ByteBuffer.wrap(beginning.getBytes(StandardCharsets.US_ASCII));
    }

    @Override
    public int read(ByteBuffer target) {
      if (beginning.hasRemaining()) {
        int count = beginning.remaining();
        target.put(beginning);
        return count;
      }
      alone += target.remaining();
      return fill(target);
    }

    @Override
    public int readInTurn(ByteBuffer target) {
      inTurn += target.remaining();
      return fill(target);
    }

    private static int fill(ByteBuffer target) {
      int count = target.remaining();
      target.position(target.limit());
      return count;
    }
  }

  private static void read(BodyReader body, int size) throws IOException {
    ByteBuffer target = ByteBuffer.allocate(LARGE / 4);
    int left = size;
    while (left > 0) {
      target.clear().limit(Math.min(left, target.capacity()));
      left -= body.read(target);
    }
  }

  @Test
  void aBodyThatIsDeclaredLargeIsReadInTurn() throws IOException {
    var input = new Endless("");

    read(new LengthBody(new ConnectionInput(input), LARGE + 1), LARGE + 1);

    assertThat(input.inTurn).isEqualTo(LARGE + 1);
    assertThat(input.alone).isZero();
  }

  @Test
  void aBodyThatIsNotLargeIsReadWithoutATurn() throws IOException {
    var input = new Endless("");

    read(new LengthBody(new ConnectionInput(input), LARGE), LARGE);

    assertThat(input.inTurn).isZero();
    assertThat(input.alone).isEqualTo(LARGE);
  }

  @Test
  void aBodyInChunksIsReadInTurnOnceItIsLarge() throws IOException {
    var input = new Endless("%x\r\n".formatted(4 * LARGE));

    read(new ChunkedBody(new ConnectionInput(input)), 3 * LARGE);

    assertThat(input.alone).isBetween(LARGE, LARGE + LARGE / 4);
    assertThat(input.inTurn).isEqualTo(3 * LARGE - input.alone);
  }
}
