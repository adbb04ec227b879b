package io.nereid.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import io.nereid.spi.repository.ObjectStore;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import io.nereid.spi.repository.StoredObject;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The store against S3Proxy, which checks signatures. */
class S3StoreTest {
  @TempDir private static Path directory;
  private static StandIn standIn;

  @BeforeAll
  static void startStandIn() throws IOException {
    standIn = StandIn.start(directory);
  }

  @AfterAll
  static void stopStandIn() {
    standIn.close();
  }

  private static ObjectStore open(String path) {
    return new S3StoreProvider().open(standIn.location(path), StandIn.environment());
  }

  private static StoredObject only(ObjectStore store) throws IOException {
    List<StoredObject> objects = store.list("");
    assertThat(objects).hasSize(1);
    return objects.getFirst();
  }

  private static void assertFails(ThrowingCallable request, Reason reason, String message) {
    assertThatThrownBy(request)
        .isInstanceOf(ObjectStoreException.class)
        .hasMessageContaining(message)
        .extracting(thrown -> ((ObjectStoreException) thrown).reason())
        .isEqualTo(reason);
  }

  @Test
  void keysAreRelativeToTheLocation() throws IOException {
    standIn.put("relative/models/m/config.pbtxt", new byte[3]);
    standIn.put("relative/models/m/1/model.onnx", new byte[5]);
    standIn.put("relative/models/m2/1/model.onnx", new byte[5]);
    standIn.put("relative/models-of-others/m/config.pbtxt", new byte[3]);

    try (ObjectStore store = open("relative//models/")) {
      assertThat(store.list(""))
          .extracting(StoredObject::key, StoredObject::byteSize)
          .containsExactlyInAnyOrder(
              tuple("m/config.pbtxt", 3L),
              tuple("m/1/model.onnx", 5L),
              tuple("m2/1/model.onnx", 5L));
      assertThat(store.list("m/")).hasSize(2);
      assertThat(store.list("missing/")).isEmpty();
    }
  }

  @Test
  void keysMayHaveAnyCharacters() throws IOException {
    standIn.put("any/m/1/a file+with%20ä&=?.onnx", new byte[] {7});

    try (ObjectStore store = open("any")) {
      StoredObject object = only(store);
      assertThat(object.key()).isEqualTo("m/1/a file+with%20ä&=?.onnx");
      try (InputStream content = store.read(object, 0)) {
        assertThat(content.readAllBytes()).containsExactly(7);
      }
    }
  }

  @Test
  void anObjectIsReadFromAnOffset() throws IOException {
    standIn.put("offset/m/model", new byte[] {0, 1, 2, 3, 4});

    try (ObjectStore store = open("offset")) {
      Locale before = Locale.getDefault();
      Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext")); // with other digits
      try (InputStream content = store.read(only(store), 3)) {
        assertThat(content.readAllBytes()).containsExactly(3, 4);
      } finally {
        Locale.setDefault(before);
      }
    }
  }

  @Test
  void anObjectThatHasChangedIsNotRead() throws IOException {
    standIn.put("changed/m/model", new byte[] {1});
    try (ObjectStore store = open("changed")) {
      StoredObject before = only(store);
      standIn.put("changed/m/model", new byte[] {2});

      assertFails(() -> store.read(before, 0).close(), Reason.CHANGED, "changed/m/model");
      assertThat(only(store).tag()).isNotEqualTo(before.tag());
    }
  }

  @Test
  void anObjectThatWasDeletedIsNotFound() throws IOException {
    standIn.put("deleted/m/model", new byte[] {1});
    try (ObjectStore store = open("deleted")) {
      StoredObject before = only(store);
      standIn.delete("deleted/m/model");

      assertFails(
          () -> store.read(before, 0).close(), Reason.NOT_FOUND, "test-bucket/deleted/m/model");
    }
  }

  @Test
  void aMissingBucketIsNotFound() {
    String location = standIn.location("").replace(StandIn.BUCKET, "other-bucket");
    try (ObjectStore store = new S3StoreProvider().open(location, StandIn.environment())) {
      assertFails(() -> store.list(""), Reason.NOT_FOUND, "other-bucket/: The specified bucket");
    }
  }

  @Test
  void wrongCredentialsAreDenied() {
    var environment = Map.of("AWS_ACCESS_KEY_ID", "test-key", "AWS_SECRET_ACCESS_KEY", "wrong");
    try (ObjectStore store = new S3StoreProvider().open(standIn.location("m"), environment)) {
      assertFails(() -> store.list(""), Reason.DENIED, "HTTP 403 SignatureDoesNotMatch");
    }
  }

  @Test
  void aStoreThatDoesNotRunIsUnavailable() {
    var provider = new S3StoreProvider();
    try (ObjectStore store = provider.open("s3://127.0.0.1:1/bucket", StandIn.environment())) {
      assertFails(() -> store.list(""), Reason.UNAVAILABLE, "Connection refused");
    }
  }
}
