package io.nereid.s3;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.engine.model.repository.DirectoryContents;
import io.nereid.engine.model.repository.RemoteRepository;
import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.repository.ObjectStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A repository in a store that fails, over real sockets. */
class BrokenStoreTest {
  private static final int ATTEMPTS = 3;
  private static final String MODEL = "m/1/model.onnx";

  @TempDir private Path directory;
  private final byte[] content = new byte[100_000];
  private BrokenStore broken;
  private ObjectStore store;
  private ObjectCache cache;
  private RemoteRepository repository;

  @BeforeEach
  void open() throws IOException {
    new Random(1).nextBytes(content);
    broken = new BrokenStore();
    broken.put(MODEL, content);
    var retries = new Retries(ATTEMPTS, Duration.ZERO, _ -> {});
    store =
        new S3StoreProvider()
            .open(
                broken.location(),
                Map.of("AWS_ACCESS_KEY_ID", "id", "AWS_SECRET_ACCESS_KEY", "secret"));
    cache = ObjectCache.open(directory.resolve("cache"), retries, InstantSource.system());
    repository = new RemoteRepository(broken.location(), store, Optional.empty(), cache, retries);
  }

  @AfterEach
  void close() {
    store.close();
    cache.close();
    broken.close();
  }

  private DirectoryContents contents() {
    return repository.contents("m").orElseThrow();
  }

  private Path load() {
    return repository.directory("m", contents());
  }

  private static void assertFails(ThrowingCallable call, StatusCode code, String... message) {
    assertThatThrownBy(call).isInstanceOf(InferenceException.class).message().contains(message);
    assertThatThrownBy(call)
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(code);
  }

  @Test
  void aConnectionThatIsCutHalfWayIsResumedThere() {
    DirectoryContents contents = contents();
    broken.cutNextAfter(60_000);
    broken.cutNextAfter(20_000);

    Path copy = repository.directory("m", contents);

    assertThat(copy.resolve("1/model.onnx")).hasBinaryContent(content);
    assertThat(broken.requests)
        .containsExactly(
            "GET list",
            "HEAD " + MODEL,
            "GET " + MODEL,
            "GET " + MODEL + " bytes=60000-",
            "GET " + MODEL + " bytes=80000-");
  }

  @Test
  void aStoreThatAsksToSlowDownIsAskedAgain() {
    broken.rejectNext(503, "SlowDown");
    DirectoryContents contents = contents();
    broken.rejectNext(503, "SlowDown");
    broken.rejectNext(500, "InternalError");

    assertThat(repository.directory("m", contents).resolve("1/model.onnx"))
        .hasBinaryContent(content);
  }

  @Test
  void aStoreThatStaysOverloadedIsAnErrorAfterAllAttempts() {
    for (int each = 0; each < ATTEMPTS; each++) {
      broken.rejectNext(503, "SlowDown");
    }

    assertThatThrownBy(repository::models)
        .isInstanceOf(InferenceException.class)
        .hasMessage(
            "cannot read model repository '%s': cannot list s3://http://127.0.0.1:%s/bucket/: text of"
                + " SlowDown (HTTP 503 SlowDown)",
            broken.location(), broken.location().replaceAll(".*:(\\d+)/.*", "$1"));
    assertThat(broken.requests).hasSize(ATTEMPTS);
  }

  @Test
  void aRejectedRequestIsNotRepeated() {
    broken.rejectNext(403, "AccessDenied");
    broken.rejectNext(403, "AccessDenied");

    assertFails(repository::models, StatusCode.INVALID_ARGUMENT, "HTTP 403 AccessDenied");
    assertThat(broken.requests).hasSize(2);
  }

  @Test
  void anObjectThatChangesBetweenTwoPartsIsNotMixed() {
    DirectoryContents contents = contents();
    broken.failNext(exchange -> {
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content, 0, 1000);
      broken.changeTags();
      exchange.close();
    });

    assertFails(
        () -> repository.directory("m", contents),
        StatusCode.UNAVAILABLE,
        "model 'm': cannot copy its files from",
        "PreconditionFailed");
  }

  @Test
  void aStoreThatIgnoresTheExpectedVersionIsNoticed() {
    DirectoryContents contents = contents();
    for (int each = 0; each < 2; each++) {
      broken.failNext(exchange -> {
        exchange.getResponseHeaders().set("ETag", "\"other\"");
        exchange.sendResponseHeaders(200, content.length);
        exchange.getResponseBody().write(content);
      });
    }

    assertFails(
        () -> repository.directory("m", contents),
        StatusCode.UNAVAILABLE,
        "has changed: its ETag was \"v1\" and is \"other\"");
  }

  @Test
  void aStoreThatIgnoresRangesIsNoticed() {
    DirectoryContents contents = contents();
    broken.cutNextAfter(1000);
    broken.failNext(exchange -> {
      exchange.getResponseHeaders().remove("Content-Range");
      exchange.sendResponseHeaders(200, content.length);
      exchange.getResponseBody().write(content);
    });

    assertThatThrownBy(() -> repository.directory("m", contents))
        .hasMessageContaining("the store sent the range 'null' of")
        .hasMessageContaining("instead of 'bytes 1000-99999/100000'");
  }

  @Test
  void aWrongChecksumFailsTheLoad() {
    broken.putChecksum(MODEL, "x-amz-checksum-crc64nvme", "AAAAAAAAAAA=");

    assertFails(
        this::load,
        StatusCode.UNAVAILABLE,
        "object 'm/1/model.onnx' is damaged: its CRC64NVME is ",
        "that of the store 0000000000000000");
  }

  @Test
  void theChecksumOfAnObjectInPartsIsIgnored() {
    broken.putChecksum(MODEL, "x-amz-checksum-crc32", "AAAAAA==-3");

    assertThat(load().resolve("1/model.onnx")).hasBinaryContent(content);
  }

  @Test
  void aListingIsReadToItsEnd() {
    for (int each = 0; each < 5; each++) {
      broken.put("m/1/" + each, new byte[each]);
    }

    assertThat(contents().files()).hasSize(6);
    assertThat(broken.requests).hasSize(3);
  }

  @Test
  void aListingThatIsCutIsReadAgain() {
    broken.failNext(exchange -> {
      exchange.sendResponseHeaders(200, 1000);
      exchange.getResponseBody().write("<ListBucketResult><Contents><Key>m/a".getBytes(UTF_8));
      exchange.close();
    });

    assertThat(contents().files()).containsOnlyKeys("1/model.onnx");
  }
}
