package io.nereid.client.rest;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.Arena;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TensorBodyTest {
  private static final int PIECE = 64 << 10;

  /** Takes the pieces one by one, as the JDK does. */
  private static final class Pieces implements Flow.Subscriber<ByteBuffer> {
    private final List<ByteBuffer> taken = new ArrayList<>();
    private Flow.@Nullable Subscription subscription;
    private boolean isComplete;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
      given.request(1);
    }

    @Override
    public void onNext(ByteBuffer piece) {
      taken.add(piece);
      Objects.requireNonNull(subscription).request(1);
    }

    @Override
    public void onError(Throwable failure) {
      throw new AssertionError(failure);
    }

    @Override
    public void onComplete() {
      isComplete = true;
    }

    private List<Integer> sizes() {
      return taken.stream().map(ByteBuffer::remaining).toList();
    }

    private byte[] bytes() {
      ByteBuffer all = ByteBuffer.allocate(sizes().stream().mapToInt(size -> size).sum());
      taken.forEach(piece -> all.put(piece.duplicate()));
      return all.array();
    }
  }

  private static ByteBuffer bytes(int first, int count) {
    ByteBuffer bytes = ByteBuffer.allocate(count + 2);
    for (int i = 0; i < count + 2; i++) {
      bytes.put((byte) (first - 1 + i));
    }
    return bytes.position(1).limit(count + 1).asReadOnlyBuffer();
  }

  private static Pieces send(ByteBuffer... parts) {
    Pieces pieces = new Pieces();
    new TensorBody(List.of(parts)).subscribe(pieces);
    assertThat(pieces.isComplete).isTrue();
    return pieces;
  }

  @Test
  void aSmallRequestIsOnePiece() {
    Pieces pieces = send(bytes(1, 3), bytes(4, 0), bytes(4, 2), bytes(6, 1));

    assertThat(pieces.sizes()).containsExactly(6);
    assertThat(pieces.bytes()).containsExactly(1, 2, 3, 4, 5, 6);
  }

  @ParameterizedTest
  @ValueSource(ints = {PIECE - 4, PIECE - 3, PIECE - 2, 2 * PIECE - 3, 2 * PIECE - 2, 5 * PIECE})
  void aLargeRequestIsInFullPieces(int count) {
    byte[] wanted = new byte[3 + count];
    for (int i = 0; i < wanted.length; i++) {
      wanted[i] = (byte) (i + 1);
    }

    Pieces pieces = send(bytes(1, 3), bytes(4, count));

    assertThat(pieces.bytes()).isEqualTo(wanted);
    assertThat(pieces.sizes().subList(0, pieces.taken.size() - 1)).allMatch(size -> size == PIECE);
    assertThat(pieces.taken).hasSize((wanted.length + PIECE - 1) / PIECE);
  }

  @Test
  void onlyThePieceOfSeveralBuffersIsACopy() {
    ByteBuffer tensor = ByteBuffer.allocate(3 * PIECE);
    Pieces pieces = send(bytes(1, 3), tensor);

    tensor.put(PIECE, (byte) 7);

    assertThat(pieces.taken.get(1).get(3)).isEqualTo((byte) 7);
    assertThat(pieces.taken.get(0).get(3)).isZero();
  }

  @Test
  void aRequestOfNothingIsComplete() {
    assertThat(send().taken).isEmpty();
    assertThat(send(bytes(1, 0)).taken).isEmpty();
  }

  /** Takes pieces as a test says. */
  private static final class Connection implements Flow.Subscriber<ByteBuffer> {
    private final List<Object> events = new ArrayList<>();
    private Flow.@Nullable Subscription subscription;

    @Override
    public void onSubscribe(Flow.Subscription given) {
      subscription = given;
    }

    void take() {
      Objects.requireNonNull(subscription).request(1);
    }

    @Override
    public void onNext(ByteBuffer piece) {
      events.add(piece.remaining());
    }

    @Override
    public void onError(Throwable failure) {
      events.add(failure.getClass());
    }

    @Override
    public void onComplete() {
      events.add("complete");
    }
  }

  @Test
  void aRequestIsSentOnceItsLastPieceIsGiven() {
    var body = new TensorBody(List.of(ByteBuffer.allocate(PIECE + 1)));
    HttpRequest request = HttpRequest.newBuilder(URI.create("http://server")).POST(body).build();
    var connection = new Connection();

    assertThat(TensorBody.isSent(null)).isFalse();
    body.subscribe(connection);
    connection.take();
    assertThat(TensorBody.isSent(request)).isFalse();
    connection.take();
    assertThat(TensorBody.isSent(request)).isTrue();
    assertThat(connection.events).containsExactly(PIECE, 1);
  }

  @Test
  void aRequestWithoutABodyIsSentAsSoonAsItIsBegun() {
    assertThat(TensorBody.isSent(HttpRequest.newBuilder(URI.create("http://server")).build()))
        .isTrue();
  }

  @Test
  void aBufferThatCannotBeReadEndsTheBodyWithItsFailure() {
    var connection = new Connection();
    try (Arena arena = Arena.ofShared()) {
      new TensorBody(List.of(bytes(1, 3), arena.allocate(8).asByteBuffer())).subscribe(connection);
    }

    connection.take();
    connection.take();

    assertThat(connection.events).containsExactly(IllegalStateException.class);
  }
}
