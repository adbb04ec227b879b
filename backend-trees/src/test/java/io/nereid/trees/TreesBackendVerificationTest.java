package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.tck.BackendUnderTest;
import io.nereid.tck.backend.BackendFactory;
import io.nereid.tck.backend.ErrorVerification;
import io.nereid.tck.backend.ExecutionVerification;
import io.nereid.tck.backend.LifecycleVerification;
import io.nereid.tck.backend.MemoryVerification;
import io.nereid.tck.backend.ThreadingVerification;
import io.nereid.tensor.DataType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The TCK's backend rules for a model with every output, and for one without a batch. */
class TreesBackendVerificationTest {
  @TempDir static Path directory;

  private static BackendUnderTest classifier;
  private static BackendUnderTest unbatched;
  private static BackendUnderTest bare;
  private static BackendUnderTest corrupt;

  @BeforeAll
  static void makeModels() {
    Path softprob = TestModels.model(TestModels.named("xgb_softprob"));
    ModelConfig config =
        TestModels.bare("classifier")
            .withSignature(
                7,
                List.of(TestModels.tensor("rows", DataType.FP32, 4)),
                List.of(
                    TestModels.tensor("prediction", DataType.FP32, 4),
                    TestModels.tensor("margin", DataType.FP64, 4),
                    TestModels.tensor("probabilities", DataType.FP32, 4),
                    TestModels.tensor("class", DataType.INT64, 1)));
    classifier =
        TestModels.underTest(TestModels.files(directory.resolve("classifier"), softprob), config);
    unbatched =
        TestModels.underTest(
            TestModels.files(directory.resolve("unbatched"), softprob),
            TestModels.bare("unbatched")
                .withSignature(
                    0,
                    List.of(TestModels.tensor("rows", DataType.FP32, -1, 4)),
                    List.of(TestModels.tensor("class", DataType.INT32, -1, 1))));
    bare =
        TestModels.underTest(
            TestModels.files(
                directory.resolve("bare"), TestModels.model(TestModels.named("lgb_categories"))),
            TestModels.bare("bare"));
    corrupt =
        TestModels.underTest(
            TestModels.files(directory.resolve("corrupt"), "model.json", "{\"learner\":"),
            TestModels.bare("corrupt"));
  }

  /** Has every verification use the same backend and model. */
  interface Classifier extends BackendFactory {
    @Override
    default BackendUnderTest backend() {
      return classifier;
    }
  }

  @Nested
  class Lifecycle extends LifecycleVerification implements Classifier {}

  @Nested
  class Execution extends ExecutionVerification implements Classifier {}

  @Nested
  class ExecutionWithoutBatch extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return unbatched;
    }
  }

  @Nested
  class ExecutionOfABareConfiguration extends ExecutionVerification {
    @Override
    public BackendUnderTest backend() {
      return bare;
    }
  }

  @Nested
  class Memory extends MemoryVerification implements Classifier {}

  @Nested
  class Threading extends ThreadingVerification implements Classifier {}

  @Nested
  class Errors extends ErrorVerification implements Classifier {
    @Override
    protected BackendUnderTest unloadable() {
      return corrupt;
    }
  }
}
