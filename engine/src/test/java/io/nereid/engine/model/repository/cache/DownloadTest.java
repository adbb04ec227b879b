package io.nereid.engine.model.repository.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.spi.repository.ObjectChecksum;
import io.nereid.spi.repository.ObjectChecksum.Algorithm;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DownloadTest {
  private static final int ATTEMPTS = 3;
  private static final int MEBIBYTE = 1024 * 1024;

  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder()
              .setAttributeViews("basic", "owner", "posix", "unix")
              .setBlockSize(4096)
              .setMaxSize(8 * MEBIBYTE)
              .build());
  private final Path file = files.getPath("/download");
  private final TestStore store = new TestStore();
  private final Retries retries = new Retries(ATTEMPTS, Duration.ofSeconds(1), _ -> {});

  @AfterEach
  void closeFiles() throws IOException {
    files.close();
  }

  private byte[] put(int length) {
    byte[] content = new byte[length];
    new Random(length).nextBytes(content);
    store.put("model", content);
    return content;
  }

  private String download() throws IOException {
    return download(store.object("model"));
  }

  private String download(StoredObject object) throws IOException {
    return new Download(store, retries, object, file).run();
  }

  @Test
  void theHashIsThatOfTheContent() throws IOException {
    byte[] content = put(1_000_000);

    String sha256 = download();

    Hash expected = Hash.sha256();
    expected.add(content, content.length);
    assertThat(sha256).isEqualTo(expected.hex());
    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void aCutConnectionIsResumedWhereItEnded() throws IOException {
    byte[] content = put(1000);
    store.cutAfter(400);
    store.cutAfter(50);

    download();

    assertThat(file).hasBinaryContent(content);
    assertThat(store.requests).containsExactly("read model 0", "read model 400", "read model 450");
  }

  @Test
  void anEarlierProcessesDownloadIsResumed() throws IOException {
    byte[] content = put(1000);
    Files.write(file, Arrays.copyOf(content, 700));
    store.putChecksum("model", crcOf(content));

    download();

    assertThat(file).hasBinaryContent(content);
    assertThat(store.requests).containsExactly("read model 700");
  }

  @Test
  void aDownloadThatIsCompleteIsNotReadAgain() throws IOException {
    byte[] content = put(1000);
    Files.write(file, content);

    download();

    assertThat(store.requests).isEmpty();
  }

  @Test
  void aFileThatIsLongerThanTheObjectIsDownloadedFromTheStart() throws IOException {
    byte[] content = put(1000);
    Files.write(file, new byte[2000]);

    download();

    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void attemptsWithoutProgressAreCounted() {
    put(1000);
    for (int each = 0; each < ATTEMPTS; each++) {
      store.cutAfter(1);
    }

    assertThatThrownBy(this::download)
        .isInstanceOf(ObjectStoreException.class)
        .hasMessageContaining("Connection reset");
    assertThat(file).hasSize(ATTEMPTS); // a later download resumes there
  }

  @Test
  void attemptsWithProgressAreNotCounted() throws IOException {
    byte[] content = put(6 * MEBIBYTE);
    for (int each = 0; each < ATTEMPTS + 2; each++) {
      store.cutAfter(MEBIBYTE);
    }

    download();

    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void aStreamThatEndsEarlyCountsAsCut() throws IOException {
    byte[] content = put(1000);
    store.endAfter(999);

    download();

    assertThat(file).hasBinaryContent(content);
    assertThat(store.requests).containsExactly("read model 0", "read model 999");
  }

  @Test
  void anObjectThatChangesBetweenTwoPartsFailsTheDownload() {
    put(1000);
    StoredObject before = store.object("model");
    store.cutAfter(10);
    store.onRead = () -> store.put("model", new byte[1000]);

    assertThatThrownBy(() -> download(before))
        .isInstanceOf(ObjectStoreException.class)
        .extracting(thrown -> ((ObjectStoreException) thrown).reason())
        .isEqualTo(Reason.CHANGED);
  }

  @Test
  void aStoreThatIsUnavailableIsAskedAgain() throws IOException {
    byte[] content = put(1000);
    store.failAsUnavailable(ATTEMPTS - 1);

    download();

    assertThat(file).hasBinaryContent(content);
  }

  @Test
  void aDamagedDownloadIsRepeatedFromTheStart() throws IOException {
    byte[] content = put(1000);
    store.putChecksum("model", crcOf(content));
    Files.write(file, new byte[500]); // not the object's bytes

    download();

    assertThat(file).hasBinaryContent(content);
    assertThat(store.requests).containsExactly("read model 500", "read model 0");
  }

  @Test
  void aChecksumThatNeverMatchesFailsTheDownload() {
    put(1000);
    store.putChecksum("model", new ObjectChecksum(Algorithm.CRC32, "00000000"));

    assertThatThrownBy(this::download)
        .hasMessageContaining("object 'model' is damaged: its CRC32 is ")
        .hasMessageEndingWith("that of the store 00000000");
    assertThat(store.requests).hasSize(ATTEMPTS);
    assertThat(file).doesNotExist();
  }

  @Test
  void aFullDiskFailsTheDownloadAndIsFreed() {
    put(9 * MEBIBYTE);

    assertThatThrownBy(this::download)
        .isInstanceOf(IOException.class)
        .isNotInstanceOf(ObjectStoreException.class)
        .hasMessageContaining("cannot write object 'model' (9437184 bytes) to '/download'")
        .hasMessageContaining("out of disk space");
    assertThat(file).doesNotExist();
    assertThat(store.requests).hasSize(1);
  }

  @Test
  void onlyTheOwnerCanReadTheFile() throws IOException {
    put(10);

    download();

    assertThat(Files.getPosixFilePermissions(file)).hasToString("[OWNER_READ, OWNER_WRITE]");
  }

  private static ObjectChecksum crcOf(byte[] content) {
    Hash crc = Hash.of(Algorithm.CRC64NVME);
    crc.add(content, content.length);
    return new ObjectChecksum(Algorithm.CRC64NVME, crc.hex());
  }
}
