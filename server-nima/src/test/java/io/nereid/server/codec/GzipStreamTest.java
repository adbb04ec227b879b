package io.nereid.server.codec;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.zip.CRC32;
import java.util.zip.GZIPInputStream;
import java.util.zip.GZIPOutputStream;
import java.util.zip.ZipException;
import org.junit.jupiter.api.Test;

class GzipStreamTest {
  private static byte[] gzip(byte[] bytes) throws IOException {
    var compressed = new ByteArrayOutputStream();
    try (var stream = new GZIPOutputStream(compressed)) {
      stream.write(bytes);
    }
    return compressed.toByteArray();
  }

  private static byte[] joined(byte[]... parts) {
    var all = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      all.writeBytes(part);
    }
    return all.toByteArray();
  }

  private static byte[] read(byte[] compressed) throws IOException {
    try (var stream = new GzipStream(new ByteArrayInputStream(compressed))) {
      return stream.readAllBytes();
    }
  }

  private static byte[] times(byte[] member, int count) {
    var all = new ByteArrayOutputStream();
    for (int i = 0; i < count; i++) {
      all.writeBytes(member);
    }
    return all.toByteArray();
  }

  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return bytes;
  }

  @Test
  void readsEachMemberWhereverTheSourceCutsIt() throws IOException {
    byte[] first = random(100_000);
    byte[] second = new byte[300_000];
    byte[] all = joined(gzip(first), gzip(new byte[0]), gzip(second), gzip("x".getBytes(UTF_8)));

    assertThat(read(all)).isEqualTo(joined(first, second, "x".getBytes(UTF_8)));
    InputStream single =
        new ByteArrayInputStream(all) {
          @Override
          public int read(byte[] target, int offset, int length) {
            return super.read(target, offset, Math.min(length, 1));
          }
        };
    assertThat(new GzipStream(single).readAllBytes())
        .isEqualTo(joined(first, second, "x".getBytes(UTF_8)));
  }

  @Test
  void readsVeryManyEmptyMembersUpToALimit() throws IOException {
    byte[] member = gzip(new byte[0]);

    assertThat(read(times(member, GzipStream.MAX_MEMBERS))).isEmpty();
    assertThatThrownBy(() -> read(times(member, GzipStream.MAX_MEMBERS + 1)))
        .isInstanceOf(ZipException.class)
        .hasMessage("it has more than 100000 gzip members");
  }

  @Test
  void ignoresWhatIsNoMemberBehindTheLastOne() throws IOException {
    byte[] member = gzip("content".getBytes(UTF_8));

    assertThat(read(joined(member, new byte[1000]))).isEqualTo("content".getBytes(UTF_8));
    assertThat(read(joined(member, Arrays.copyOf(member, 5)))).isEqualTo("content".getBytes(UTF_8));
  }

  @Test
  void readsHeadersWithAllTheirParts() throws IOException {
    byte[] body = gzip("content".getBytes(UTF_8));
    byte[] parts =
        joined(
            HexFormat.of().parseHex("1f8b081e000000000003"),
            HexFormat.of().parseHex("0300616263"), // three extra bytes
            "name\0comment\0".getBytes(UTF_8));
    var crc = new CRC32();
    crc.update(parts);
    byte[] check = {(byte) crc.getValue(), (byte) (crc.getValue() >>> 8)};
    byte[] data = Arrays.copyOfRange(body, 10, body.length);

    assertThat(read(joined(parts, check, data))).isEqualTo("content".getBytes(UTF_8));
    check[0]++;
    assertThatThrownBy(() -> read(joined(parts, check, data)))
        .isInstanceOf(ZipException.class)
        .hasMessage("Corrupt GZIP header");
  }

  @Test
  void refusesWhatTheJdkRefuses() throws IOException {
    byte[] member = gzip(random(1000));
    for (int length = 0; length < member.length; length++) {
      byte[] cut = Arrays.copyOf(member, length);
      assertThatThrownBy(() -> read(cut)).as("%d bytes", length).isInstanceOf(EOFException.class);
    }
    for (int i = 0; i < member.length; i++) {
      byte[] changed = member.clone();
      changed[i] ^= 0x10;
      assertThat(reads(changed)).as("byte %d changed", i).isEqualTo(jdkReads(changed));
    }
  }

  private static boolean reads(byte[] compressed) {
    try {
      return read(compressed).length > 0;
    } catch (IOException refused) {
      return false;
    }
  }

  private static boolean jdkReads(byte[] compressed) {
    try (var stream = new GZIPInputStream(new ByteArrayInputStream(compressed))) {
      return stream.readAllBytes().length > 0;
    } catch (IOException refused) {
      return false;
    }
  }
}
