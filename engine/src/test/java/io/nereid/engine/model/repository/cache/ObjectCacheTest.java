package io.nereid.engine.model.repository.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ObjectCacheTest {
  private static final int MEBIBYTE = 1024 * 1024;

  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder()
              .setAttributeViews("basic", "owner", "posix", "unix")
              .setBlockSize(4096)
              .setMaxSize(8 * MEBIBYTE)
              .build());
  private final Path directory = files.getPath("/cache");
  private final TestStore store = new TestStore();
  private final AtomicReference<Instant> now =
      new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

  @AfterEach
  void closeFiles() throws IOException {
    files.close();
  }

  private ObjectCache open() throws IOException {
    return ObjectCache.open(directory, new Retries(2, Duration.ZERO, _ -> {}), now::get);
  }

  private void pass(Duration time) {
    now.updateAndGet(instant -> instant.plus(time));
  }

  /** All objects of a model, as they are now. */
  private ObjectCache.Source source(String model, String... keys) {
    var objects = new TreeMap<String, StoredObject>();
    for (String key : keys) {
      objects.put(key, store.object(model + "/" + key));
    }
    return new ObjectCache.Source(store, "s3://bucket", model, objects, List.of());
  }

  private List<Path> contents() throws IOException {
    return filesIn("contents");
  }

  private List<Path> filesIn(String name) throws IOException {
    try (Stream<Path> all = Files.walk(directory.resolve(name))) {
      return all.filter(Files::isRegularFile).toList();
    }
  }

  @Test
  void aSnapshotIsADirectoryOfTheModelsNameWithTheContents() throws IOException {
    store.put("m/config.pbtxt", new byte[] {1});
    store.put("m/1/model.onnx", new byte[] {2});
    store.put("m/1/empty", new byte[0]);
    var objects = source("m", "config.pbtxt", "1/model.onnx", "1/empty").files();

    try (ObjectCache cache = open()) {
      Path snapshot =
          cache.snapshot(new ObjectCache.Source(store, "s3://bucket", "m", objects, List.of("2/")));

      assertThat(snapshot.getFileName()).hasToString("m");
      assertThat(snapshot.resolve("config.pbtxt")).hasBinaryContent(new byte[] {1});
      assertThat(snapshot.resolve("1/model.onnx")).hasBinaryContent(new byte[] {2});
      assertThat(snapshot.resolve("1/empty")).isEmptyFile();
      assertThat(snapshot.resolve("2")).isEmptyDirectory();
    }
  }

  @Test
  void whatIsInTheCacheIsNotDownloadedAgainByThisServerOrTheNext() throws IOException {
    store.put("m/1/model.onnx", new byte[] {2});
    try (ObjectCache cache = open()) {
      cache.snapshot(source("m", "1/model.onnx"));
      cache.snapshot(source("m", "1/model.onnx"));
    }
    pass(Duration.ofDays(29));
    try (ObjectCache cache = open()) {
      Path snapshot = cache.snapshot(source("m", "1/model.onnx"));

      assertThat(snapshot.resolve("1/model.onnx")).hasBinaryContent(new byte[] {2});
    }
    assertThat(store.requests).containsExactly("read m/1/model.onnx 0");
  }

  @Test
  void equalContentsAreKeptOnce() throws IOException {
    store.put("m/a", new byte[] {1, 2, 3});
    store.put("m/b", new byte[] {1, 2, 3});

    try (ObjectCache cache = open()) {
      Path snapshot = cache.snapshot(source("m", "a", "b"));

      assertThat(contents()).hasSize(1);
      assertThat(Files.getAttribute(snapshot.resolve("a"), "unix:nlink")).isEqualTo(3);
    }
  }

  @Test
  void eachSnapshotKeepsTheContentsThatItWasMadeWith() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      Path before = cache.snapshot(source("m", "model"));
      store.put("m/model", new byte[] {2});
      Path after = cache.snapshot(source("m", "model"));

      assertThat(before.resolve("model")).hasBinaryContent(new byte[] {1});
      assertThat(after.resolve("model")).hasBinaryContent(new byte[] {2});
    }
  }

  @Test
  void aReleasedSnapshotIsDeletedWithContentsThatNoObjectHas() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      Path before = cache.snapshot(source("m", "model"));
      store.put("m/model", new byte[] {2});
      cache.snapshot(source("m", "model"));
      pass(Duration.ofHours(2));
      assertThat(contents()).hasSize(2);

      cache.release(before);

      assertThat(before.getParent()).doesNotExist();
      assertThat(contents())
          .singleElement()
          .satisfies(content -> assertThat(content).hasBinaryContent(new byte[] {2}));
    }
  }

  @Test
  void aSnapshotSurvivesTheDeletionOfItsContents() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      Path snapshot = cache.snapshot(source("m", "model"));
      for (Path content : contents()) {
        Files.delete(content);
      }

      assertThat(snapshot.resolve("model")).hasBinaryContent(new byte[] {1});
      assertThat(cache.snapshot(source("m", "model")).resolve("model"))
          .hasBinaryContent(new byte[] {1});
    }
  }

  @Test
  void contentsThatNoServerHasUsedFor30DaysAreDeleted() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      cache.snapshot(source("m", "model"));
    }
    pass(Duration.ofDays(31));

    open().close();

    assertThat(contents()).isEmpty();
  }

  @Test
  void aContentThatIsDamagedOnDiskIsDownloadedAgain() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      cache.release(cache.snapshot(source("m", "model")));
      for (Path content : contents()) {
        Files.write(content, new byte[7]);
      }

      assertThat(cache.snapshot(source("m", "model")).resolve("model"))
          .hasBinaryContent(new byte[] {1});
    }
  }

  @Test
  void anUnreadableIndexIsIgnored() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      cache.snapshot(source("m", "model"));
      for (Path entry : filesIn("index")) {
        Files.write(entry, new byte[] {(byte) 0xFF, 0, 1});
      }

      assertThat(cache.snapshot(source("m", "model")).resolve("model"))
          .hasBinaryContent(new byte[] {1});
    }
    open().close(); // sweeps
  }

  @Test
  @SuppressWarnings("try") // one of them closes first
  void twoServersUseOneCacheAtOnce() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache one = open();
        ObjectCache other = open()) {
      Path ofOne = one.snapshot(source("m", "model"));
      Path ofOther = other.snapshot(source("m", "model"));
      one.close();

      assertThat(ofOne).doesNotExist();
      assertThat(ofOther.resolve("model")).hasBinaryContent(new byte[] {1});
      assertThat(store.requests).hasSize(1);
    }
  }

  @Test
  void aFailedDownloadLeavesNoSnapshotAndIsContinuedByTheNextServer() throws IOException {
    store.put("m/model", new byte[100]);
    store.cutAfter(30);
    store.cutAfter(30);
    try (ObjectCache cache = open()) {
      assertThatThrownBy(() -> cache.snapshot(source("m", "model")))
          .hasMessageContaining("Connection reset");
    }

    try (ObjectCache cache = open()) {
      cache.snapshot(source("m", "model"));
    }

    assertThat(store.requests)
        .containsExactly("read m/model 0", "read m/model 30", "read m/model 60");
    assertThat(filesIn("servers")).isEmpty();
  }

  @Test
  void whatAServerLeftThatDidNotEndProperlyIsDeleted() throws IOException {
    Path ended = directory.resolve("servers/0f0f");
    Files.createDirectories(ended.resolve("snapshots/0/m"));
    Files.write(ended.resolve("snapshots/0/m/model"), new byte[1]);
    Files.createFile(directory.resolve("servers/0f0f.lock"));
    Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));

    try (ObjectCache _ = open()) {
      assertThat(ended).doesNotExist();
      assertThat(filesIn("servers")).hasSize(1); // this server's lock
    }
  }

  @Test
  void downloadsThatNeedMoreRoomThanThereIsDoNotBegin() {
    store.put("m/a", new byte[5 * MEBIBYTE]);
    store.put("m/b", new byte[5 * MEBIBYTE]);

    assertThatThrownBy(
            () -> {
              try (ObjectCache cache = open()) {
                cache.snapshot(source("m", "a", "b"));
              }
            })
        .hasMessageMatching("10485760 bytes are to be downloaded, and \\d+ are free in '/cache'");
    assertThat(store.requests).isEmpty();
  }

  @Test
  void onlyTheOwnerHasAccess() throws IOException {
    store.put("m/model", new byte[] {1});
    try (ObjectCache cache = open()) {
      Path snapshot = cache.snapshot(source("m", "model"));

      assertThat(Files.getPosixFilePermissions(directory))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(Files.getPosixFilePermissions(snapshot))
          .isEqualTo(PosixFilePermissions.fromString("rwx------"));
      assertThat(Files.getPosixFilePermissions(snapshot.resolve("model")))
          .isEqualTo(PosixFilePermissions.fromString("r--------"));
    }
  }

  @Test
  void aDirectoryThatOthersCanAccessIsRejected() throws IOException {
    Files.createDirectory(
        directory,
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwxrwxrwx")));

    assertThatThrownBy(this::open)
        .hasMessage("'/cache' can be accessed by other users: its permissions must be rwx------");
  }

  @Test
  void aLinkIsRejected() throws IOException {
    Files.createDirectory(files.getPath("/elsewhere"));
    Files.createSymbolicLink(directory, files.getPath("/elsewhere"));

    assertThatThrownBy(this::open).hasMessage("'/cache' is not a directory");
  }
}
