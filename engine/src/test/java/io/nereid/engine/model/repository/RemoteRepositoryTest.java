package io.nereid.engine.model.repository;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.engine.model.repository.cache.ObjectCache;
import io.nereid.engine.model.repository.cache.Retries;
import io.nereid.engine.model.repository.cache.TestStore;
import io.nereid.error.InferenceException;
import io.nereid.error.StatusCode;
import io.nereid.spi.repository.ObjectStoreException;
import io.nereid.spi.repository.ObjectStoreException.Reason;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RemoteRepositoryTest {
  private final FileSystem files =
      Jimfs.newFileSystem(
          Configuration.unix().toBuilder().setAttributeViews("basic", "posix").build());
  private final TestStore store = new TestStore();
  private ObjectCache cache;
  private RemoteRepository repository;

  @BeforeEach
  void open() throws IOException {
    var retries = new Retries(2, Duration.ZERO, _ -> {});
    cache = ObjectCache.open(files.getPath("/cache"), retries, InstantSource.system());
    repository =
        new RemoteRepository("s3://bucket/models", store, Optional.empty(), cache, retries);
  }

  @AfterEach
  void close() throws IOException {
    cache.close();
    files.close();
  }

  private DirectoryContents contents(String model) {
    return repository.contents(model).orElseThrow();
  }

  @Test
  void aModelIsLoadedFromACopyOfTheContentsThatWereListed() {
    store.put("m/config.pbtxt", new byte[] {1});
    store.put("m/1/model.onnx", new byte[] {2});
    store.put("n/1/", new byte[0]);

    assertThat(repository.models()).containsExactly("m", "n");
    Path directory = repository.directory("m", contents("m"));
    assertThat(directory.getFileName()).hasToString("m");
    assertThat(directory.resolve("config.pbtxt")).hasBinaryContent(new byte[] {1});
    assertThat(directory.resolve("1/model.onnx")).hasBinaryContent(new byte[] {2});
    assertThat(repository.directory("n", contents("n")).resolve("1")).isEmptyDirectory();
  }

  @Test
  void aBareRepositoryIsOneModelOfAllObjects() throws IOException {
    var bare = bare("digits");
    store.put("model.onnx", new byte[] {1});
    store.put("data/weights", new byte[] {2});

    assertThat(bare.isBare()).isTrue();
    assertThat(bare.models()).containsExactly("digits");
    assertThat(bare.contents("data")).isEmpty();
    assertThat(bare.contents("digit")).isEmpty();
    DirectoryContents before = bare.contents("digits").orElseThrow();
    assertThat(bare.contents().models()).containsExactly(Map.entry("digits", before));
    Path directory = bare.directory("digits", before);
    assertThat(directory.getFileName()).hasToString("digits");
    assertThat(directory.resolve("model.onnx")).hasBinaryContent(new byte[] {1});
    assertThat(directory.resolve("data/weights")).hasBinaryContent(new byte[] {2});

    store.put("model.onnx", new byte[] {3});
    DirectoryContents after = bare.contents("digits").orElseThrow();
    assertThat(after.changesSince(before).paths()).containsExactly("model.onnx");
    assertThat(bare.directory("digits", after).resolve("model.onnx"))
        .hasBinaryContent(new byte[] {3});
  }

  @Test
  void aBareRepositoryWithoutObjectsIsAModelWithoutFiles() throws IOException {
    var bare = bare("digits");

    assertThat(bare.models()).containsExactly("digits");
    assertThat(bare.contents("digits").orElseThrow().files()).isEmpty();
    assertThat(bare.directory("digits", bare.contents("digits").orElseThrow())).isEmptyDirectory();
  }

  private RemoteRepository bare(String model) {
    var retries = new Retries(2, Duration.ZERO, _ -> {});
    return new RemoteRepository("s3://bucket/models/m", store, Optional.of(model), cache, retries);
  }

  @Test
  void aChangedObjectChangesTheContents() {
    store.put("m/1/model.onnx", new byte[] {1});
    DirectoryContents before = contents("m");
    store.put("m/1/model.onnx", new byte[] {2}); // of the same size

    assertThat(contents("m").changesSince(before).paths()).containsExactly("1/model.onnx");
  }

  @Test
  void allModelsAreReadByOneRequest() {
    store.put("m/1/model.onnx", new byte[] {1});
    store.put("n/1/model.onnx", new byte[] {1});
    store.put("bad//model.onnx", new byte[] {1});

    RepositoryContents contents = repository.contents();

    assertThat(contents.models()).containsOnlyKeys("m", "n");
    assertThat(contents.models().get("m")).isEqualTo(contents("m"));
    assertThat(contents.unreadable()).containsOnlyKeys("bad");
    assertThat(store.requests).containsExactly("list ", "list m/");
  }

  @ParameterizedTest
  @ValueSource(strings = {"", ".", "..", ".hidden", "a/b", "missing"})
  void noOtherNameIsAModel(String name) {
    store.put("a/b/model.onnx", new byte[] {1});
    store.put(".hidden/1/model.onnx", new byte[] {1});

    assertThat(repository.contents(name)).isEmpty();
  }

  @Test
  void aCopyIsSharedAndDeletedAfterItsLastUse() {
    store.put("m/1/model.onnx", new byte[] {1});
    Path directory = repository.directory("m", contents("m"));
    assertThat(repository.directory("m", contents("m"))).isEqualTo(directory);
    assertThat(repository.isCopy(directory)).isTrue();

    repository.release(directory);
    assertThat(directory).isDirectory();

    repository.release(directory);
    assertThat(directory).doesNotExist();
    assertThat(repository.isCopy(directory)).isFalse();
    assertThat(repository.directory("m", contents("m"))).isDirectory();
  }

  @Test
  void theReleaseOfAnotherDirectoryIsIgnored() {
    Path other = files.getPath("/cache");

    repository.release(other);

    assertThat(other).isDirectory();
  }

  @ParameterizedTest
  @CsvSource({
    "UNAVAILABLE, UNAVAILABLE",
    "NOT_FOUND, INVALID_ARGUMENT",
    "DENIED, INVALID_ARGUMENT",
    "REJECTED, INVALID_ARGUMENT",
  })
  void aFailureNamesTheRepository(Reason reason, StatusCode code) {
    store.fail(new ObjectStoreException(reason, "no"));
    store.fail(new ObjectStoreException(reason, "no"));

    assertThatThrownBy(repository::models)
        .hasMessage("cannot read model repository 's3://bucket/models': no")
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(code);
  }

  @Test
  void aModelThatChangesWhileItIsCopiedIsNotLoaded() {
    store.put("m/1/a", new byte[] {1});
    store.put("m/1/b", new byte[] {1});
    DirectoryContents listed = contents("m");
    store.onRead = () -> store.put("m/1/b", new byte[] {2});

    assertThatThrownBy(() -> repository.directory("m", listed))
        .hasMessage("model 'm': cannot copy its files from 's3://bucket/models': m/1/b has changed")
        .extracting(thrown -> ((InferenceException) thrown).code())
        .isEqualTo(StatusCode.UNAVAILABLE);
  }
}
