package @package@;

import io.nereid.config.ModelConfig;
import io.nereid.spi.ModelFiles;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.DeclarationsVerification;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tck.support.SampleRequest;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Tensor;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The kit's rules for backends, on the model of this project; run in the project's folder. */
class @Class@BackendTest {
  private static final Path MODEL = Path.of("models", "@name@_example");

  /** The backend and its model, for all verifications. */
  interface Example extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return BackendUnderTest.of(new @Class@Backend(), new ModelFiles(MODEL, 1));
    }

    /** What the model must answer; without this method the kit compares answers with each other. */
    @Override
    default Optional<Map<String, Tensor>> expected(ModelConfig config, SampleRequest request) {
      Tensor input = request.inputs().getFirst();
      MemorySegment output = Arena.ofAuto().allocate(input.byteSize());
      for (long at = 0; at < input.byteSize(); at += Float.BYTES) {
        output.set(Elements.FLOAT, at, input.data().get(Elements.FLOAT, at) * 2.5f);
      }
      return Optional.of(
          Map.of("OUTPUT", new Tensor("OUTPUT", input.dataType(), input.shape(), output)));
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Example {}

  @Nested
  class Execution extends ExecutionVerification implements Example {}

  @Nested
  class Memory extends MemoryVerification implements Example {}

  @Nested
  class Threading extends ThreadingVerification implements Example {}

  @Nested
  class Declarations extends DeclarationsVerification implements Example {}

  @Nested
  class Errors extends ErrorVerification implements Example {
    @TempDir private Path folder;

    /** A copy of the model whose file has no number. */
    @Override
    protected BackendUnderTest unloadable() {
      try {
        Path version = Files.createDirectories(folder.resolve("broken").resolve("1"));
        Files.writeString(version.resolve("factor.txt"), "two and a half\n");
      } catch (IOException failed) {
        throw new AssertionError(failed);
      }
      ModelConfig config = backend().config().toBuilder().name("broken").build();
      return BackendUnderTest.of(
          new @Class@Backend(), new ModelFiles(folder.resolve("broken"), 1), config);
    }
  }
}
