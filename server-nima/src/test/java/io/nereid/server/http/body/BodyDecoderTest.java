package io.nereid.server.http.body;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.CheckedBufferPool;
import io.nereid.engine.memory.Lease;
import io.nereid.engine.memory.LeaseSource;
import io.nereid.engine.memory.RequestMemory;
import io.nereid.engine.testing.Failures;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.server.codec.LongWork;
import io.nereid.server.http.connection.HttpRequest;
import io.nereid.server.http.connection.ReceivedRequests;
import io.nereid.tensor.Elements;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SplittableRandom;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BodyDecoderTest {
  private static final long MAX_INPUT_SIZE = 1 << 20;
  private static final long SEED = 20261121;

  private final CheckedBufferPool pool = new CheckedBufferPool();

  @AfterEach
  void releasesAllMemory() {
    assertThat(pool.outstanding()).isZero();
  }

  private static byte[] bytes(int count) {
    byte[] bytes = new byte[count];
    new SplittableRandom(SEED).nextBytes(bytes);
    return bytes;
  }

  /** A stream that returns a few bytes per read. */
  private static InputStream trickle(byte[] bytes, int step) {
    return new ByteArrayInputStream(bytes) {
      @Override
      public synchronized int read(byte[] target, int offset, int length) {
        return super.read(target, offset, Math.min(length, step));
      }
    };
  }

  private static byte[] chunks(byte[] bytes, int chunkSize) throws IOException {
    var chunks = new ByteArrayOutputStream();
    for (int i = 0; i < bytes.length; i += chunkSize) {
      int size = Math.min(chunkSize, bytes.length - i);
      chunks.write((Integer.toHexString(size) + "\r\n").getBytes(StandardCharsets.US_ASCII));
      chunks.write(bytes, i, size);
      chunks.write('\r');
      chunks.write('\n');
    }
    chunks.write("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
    return chunks.toByteArray();
  }

  private Lease read(
      InputStream stream, OptionalLong length, OptionalInt jsonLength, BufferPool from)
      throws IOException {
    String framing =
        length.isPresent()
            ? "Content-Length: " + length.getAsLong() + "\r\n"
            : "Transfer-Encoding: chunked\r\n";
    HttpRequest request = ReceivedRequests.of("POST / HTTP/1.1\r\nHost: x\r\n" + framing, stream);
    BodyDecoder decoder = decoder();
    return decoder.read(
        request, ContentEncoding.IDENTITY, jsonLength, decoder.memory(request, from));
  }

  private static BodyDecoder decoder() {
    return new BodyDecoder(
        MAX_INPUT_SIZE, new RequestMemory(Long.MAX_VALUE, Long.MAX_VALUE), new LongWork(1));
  }

  private void assertRead(byte[] bytes, InputStream stream, OptionalLong length, int jsonLength)
      throws IOException {
    try (Lease body = read(stream, length, OptionalInt.of(jsonLength), pool)) {
      assertThat(body.segment().toArray(Elements.BYTE)).isEqualTo(bytes);
      assertThat((body.segment().address() + jsonLength) % BufferPool.ALIGNMENT).isZero();
      assertThat(pool.outstanding()).isEqualTo(1);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 100, 16_383, 16_384, 16_385, 32_768, 200_001})
  void readsABodyWithAndWithoutAKnownLength(int size) throws IOException {
    byte[] bytes = bytes(size);
    for (int headLength : new int[] {0, 1, 63, 64, 200}) {
      assertRead(bytes, trickle(bytes, 1000), OptionalLong.of(size), headLength);
      assertRead(bytes, trickle(chunks(bytes, 700), 1000), OptionalLong.empty(), headLength);
      assertRead(bytes, trickle(chunks(bytes, 99_999), 100_000), OptionalLong.empty(), headLength);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void copiesMuchOfABodyIntoLargerMemoryOnAPlatformThread(boolean lengthKnown) throws Exception {
    int size = 8 * (int) LeaseSource.LEAST_AHEAD;
    List<Long> byOwnThread = new ArrayList<>();
    List<Long> byOthers = new ArrayList<>();
    Thread own = Thread.currentThread();
    LeaseSource source =
        byteSize -> {
          (Thread.currentThread().equals(own) ? byOwnThread : byOthers).add(byteSize);
          return pool.lease(byteSize);
        };
    byte[] sent = lengthKnown ? bytes(size) : chunks(bytes(size), 1000);
    String framing = lengthKnown ? "Content-Length: " + size : "Transfer-Encoding: chunked";
    HttpRequest request =
        ReceivedRequests.of(
            "POST / HTTP/1.1\r\nHost: x\r\n" + framing + "\r\n", new ByteArrayInputStream(sent));

    decoder().read(request, ContentEncoding.IDENTITY, OptionalInt.empty(), source).close();
    assertThat(byOwnThread).allMatch(leased -> leased / 2 < LongWork.LEAST).isNotEmpty();
    assertThat(byOthers).allMatch(leased -> leased / 2 >= LongWork.LEAST).isNotEmpty();
  }

  @Test
  void doesNotReadBeyondTheEndOfABody() throws IOException {
    InputStream stream =
        new ByteArrayInputStream(bytes(10)) {
          @Override
          public synchronized int read(byte[] target, int offset, int length) {
            int count = super.read(target, offset, length);
            assertThat(count).as("a read that would wait for the next request").isPositive();
            return count;
          }
        };
    assertRead(bytes(10), stream, OptionalLong.of(10), 0);
  }

  @Test
  void failsIfTheConnectionEndsWithinTheBody() {
    assertThatExceptionOfType(EOFException.class)
        .isThrownBy(
            () -> read(trickle(bytes(70), 50), OptionalLong.of(100), OptionalInt.of(3), pool))
        .withMessage("request body ends after 70 of 100 bytes");
  }

  @Test
  void releasesTheMemoryIfTheConnectionBreaks() {
    for (Throwable thrown : new Throwable[] {new IOException("reset"), new RuntimeException("x")}) {
      InputStream broken =
          new InputStream() {
            @Override
            public int read() {
              throw new AssertionError("byte by byte");
            }

            @Override
            public int read(byte[] target, int offset, int length) throws IOException {
              if (thrown instanceof IOException reset) {
                throw reset;
              }
              throw (RuntimeException) thrown;
            }
          };
      assertThatExceptionOfType(Exception.class)
          .isThrownBy(() -> read(broken, OptionalLong.empty(), OptionalInt.of(0), pool))
          .satisfies(failure -> assertThat(failure).hasMessage(thrown.getMessage()));
      assertThat(pool.outstanding()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(longs = {MAX_INPUT_SIZE + 1, 1L << 50, 999_999_999_999_999_999L})
  void rejectsALengthBeyondTheLimitBeforeItIsRead(long length) {
    for (OptionalInt jsonLength : List.of(OptionalInt.empty(), OptionalInt.of(0))) {
      assertThatExceptionOfType(InferenceException.class)
          .isThrownBy(() -> read(trickle(bytes(1), 1), OptionalLong.of(length), jsonLength, pool))
          .withMessageContaining(String.valueOf(length));
      assertThat(pool.outstanding()).isZero();
    }
  }

  @Test
  void rejectsChunksBeyondTheLimitWhileTheyAreRead() {
    var endless =
        new InputStream() {
          private long count;

          @Override
          public int read() {
            throw new AssertionError("byte by byte");
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            if (count == 0) {
              byte[] size = "fffffffff\r\n".getBytes(StandardCharsets.US_ASCII);
              System.arraycopy(size, 0, target, offset, size.length);
              count = size.length;
              return size.length;
            }
            assertThat(count).isLessThan(4 * MAX_INPUT_SIZE);
            count += length;
            return length;
          }
        };

    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "request JSON size of %d bytes exceeds the maximum allowed input size of %d bytes. Use"
                .formatted(MAX_INPUT_SIZE + 1, MAX_INPUT_SIZE)
            + " --http-max-input-size to increase the limit.",
        () -> read(endless, OptionalLong.empty(), OptionalInt.empty(), pool));
  }

  @Test
  void rejectsARawBodyBeyondTheLimit() {
    long length = MAX_INPUT_SIZE + 1;

    Failures.assertRejected(
        StatusCode.INVALID_ARGUMENT,
        "Raw input has a byte_size (%d bytes) that exceeds the maximum allowed value of %d bytes."
                .formatted(length, MAX_INPUT_SIZE)
            + " Use --http-max-input-size to increase the limit.",
        () -> read(trickle(bytes(1), 1), OptionalLong.of(length), OptionalInt.of(0), pool));
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate"})
  void rejectsCorruptDataBeforeTheEndOfTheBody(String encoding) throws IOException {
    HttpRequest request =
        ReceivedRequests.of(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: %s\r\nContent-Length: 100000\r\n"
                .formatted(encoding),
            new ByteArrayInputStream(bytes(100_000)));
    var decoder =
        new BodyDecoder(
            MAX_INPUT_SIZE, new RequestMemory(Long.MAX_VALUE, Long.MAX_VALUE), new LongWork(1));

    assertThatExceptionOfType(InferenceException.class)
        .isThrownBy(() -> decoder.read(request, encoding(request), OptionalInt.empty(), pool))
        .withMessageStartingWith("request body is not valid %s data: ".formatted(encoding));
  }

  private static ContentEncoding encoding(HttpRequest request) {
    return BodyDecoder.encoding(request, ReceivedRequests.response());
  }

  private static byte[] compressed(String encoding, byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (OutputStream stream =
        encoding.equals("gzip")
            ? new GZIPOutputStream(compressed)
            : new DeflaterOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  private Lease read(String encoding, String framing, byte[] sent) throws IOException {
    HttpRequest request =
        ReceivedRequests.of(
            "POST / HTTP/1.1\r\nHost: x\r\nContent-Encoding: %s\r\n%s\r\n"
                .formatted(encoding, framing),
            new ByteArrayInputStream(sent));
    return decoder().read(request, encoding(request), OptionalInt.empty(), pool);
  }

  private Lease readCompressed(String encoding, byte[] bytes, boolean lengthKnown)
      throws IOException {
    byte[] sent = compressed(encoding, bytes);
    return lengthKnown
        ? read(encoding, "Content-Length: " + sent.length, sent)
        : read(encoding, "Transfer-Encoding: chunked", chunks(sent, 1000));
  }

  @ParameterizedTest
  @CsvSource({"gzip,true", "gzip,false", "deflate,true", "deflate,false"})
  void limitsTheSizeOfABodyAfterItsDecompression(String encoding, boolean lengthKnown)
      throws IOException {
    int limit = (int) MAX_INPUT_SIZE;
    String text =
        "Decompressed data size exceeds the maximum allowed value of %d bytes. Use"
                .formatted(MAX_INPUT_SIZE)
            + " --http-max-input-size to increase the limit.";

    try (Lease body = readCompressed(encoding, new byte[limit], lengthKnown)) {
      assertThat(body.segment().byteSize()).isEqualTo(MAX_INPUT_SIZE);
    }
    for (byte[] tooLarge : List.of(new byte[limit + 1], new byte[20 * limit], bytes(limit + 1))) {
      Failures.assertRejected(
          StatusCode.INVALID_ARGUMENT,
          text,
          () -> readCompressed(encoding, tooLarge, lengthKnown).close());
      assertThat(pool.outstanding()).isZero();
    }
  }

  @ParameterizedTest
  @CsvSource({"gzip, deflate", "deflate, gzip"})
  void readsABodyInTheOtherEncodingThanItSays(String said, String used) throws IOException {
    byte[] sent = compressed(used, bytes(10));

    try (Lease body = read(said, "Content-Length: " + sent.length, sent)) {
      assertThat(body.segment().toArray(Elements.BYTE)).isEqualTo(bytes(10));
    }
  }

  @Test
  void readsABodyOfVeryManyEmptyMembersOfGzip() throws IOException {
    byte[] member = compressed("gzip", new byte[0]);
    var members = new ByteArrayOutputStream();
    for (int i = 0; i < 20_000; i++) {
      members.writeBytes(member);
    }
    members.writeBytes(compressed("gzip", bytes(10)));
    byte[] sent = members.toByteArray();

    try (Lease body = read("gzip", "Content-Length: " + sent.length, sent)) {
      assertThat(body.segment().toArray(Elements.BYTE)).isEqualTo(bytes(10));
    }
  }
}
