package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.logging.Level;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The library and its logger, against the double of libnvinfer. */
@UsesDoubles
final class TensorRtDoubleTest {
  private static final int ERROR = 1; // nvinfer1::ILogger::Severity
  private static final int WARNING = 2;

  private final CudartDouble cuda;
  private final NvinferDouble nvinfer;

  TensorRtDoubleTest(CudartDouble cuda, NvinferDouble nvinfer) {
    this.cuda = cuda;
    this.nvinfer = nvinfer;
  }

  @ParameterizedTest
  @ValueSource(ints = {8_06_01, 9_03_00, 12_00_00})
  void refusesOtherMajorVersions(int version) {
    nvinfer.setVersion(version);

    assertThatThrownBy(() -> TensorRt.open(1))
        .isInstanceOf(TensorRtException.class)
        .hasMessage("found TensorRT %s; supported are 10 and 11", new TensorRtVersion(version));
  }

  @ParameterizedTest
  @ValueSource(ints = {10_00_00, 10_15_01, 11_00_00, 11_01_00})
  void acceptsVersionsThatItsTablesWereComparedWithInSilence(int version) {
    nvinfer.setVersion(version);

    try (var log = CapturedLog.of(TensorRt.class.getName())) {
      assertThat(TensorRt.open(1).version().number()).isEqualTo(version);

      assertThat(log.lines()).isEmpty();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {10_17_00, 11_04_02})
  void acceptsNewerMinorVersionsWithOneLine(int version) {
    nvinfer.setVersion(version);

    try (var log = CapturedLog.of(TensorRt.class.getName())) {
      TensorRt tensorRt = TensorRt.open(1);

      assertThat(log.lines())
          .containsExactly(
              "INFO TensorRT %s is newer than the versions that this backend was compared with"
                  .formatted(tensorRt.version()));
    }
  }

  @Test
  void isNotOpenedWithoutADevice() {
    assertThatIllegalArgumentException()
        .isThrownBy(() -> TensorRt.open(0))
        .withMessage("TensorRT needs a CUDA device");
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void takesASmallAddressOfAFactoryForNull(int version) {
    nvinfer.setVersion(version);
    nvinfer.setSmallAddress(true);
    TensorRt tensorRt = TensorRt.open(1);

    assertThatThrownBy(() -> tensorRt.createRuntime("a GPU"))
        .isInstanceOf(TensorRtException.class)
        .hasMessageStartingWith("TensorRT created no IRuntime: CUDA initialization failure");
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void createsABuilder(int version) {
    nvinfer.setVersion(version);

    try (NativeObject builder = TensorRt.open(1).createBuilder()) {
      assertThat(cuda.live("IBuilder")).isEqualTo(1);
      assertThat(NativeObject.isNull(builder.impl())).isFalse();
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void forwardsLinesBySeverity(int version) {
    nvinfer.setVersion(version);
    MemorySegment logger = TensorRt.open(1).logger();

    try (var log = CapturedLog.of("io.nereid.tensorrt")) {
      for (int severity = 0; severity <= 4; severity++) {
        nvinfer.logFromThread(logger, severity, "line " + severity);
      }

      assertThat(log.lines())
          .containsExactly(
              "SEVERE TensorRT: line 0",
              "SEVERE TensorRT: line 1",
              "WARNING TensorRT: line 2",
              "INFO TensorRT: line 3",
              "FINE TensorRT: line 4");
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void explainsAFailureByTheLastErrorOfItsOwnThread(int version) {
    nvinfer.setVersion(version);
    TensorRt tensorRt = TensorRt.open(1);
    cuda.failNext("createInferRuntime", 1);

    tensorRt.clearError();
    nvinfer.logFromThread(tensorRt.logger(), ERROR, "of another thread");
    assertThat(tensorRt.failure("a call failed"))
        .hasMessage("a call failed: TensorRT gave no reason");

    assertThatThrownBy(() -> tensorRt.createRuntime("a GPU")).hasMessageContaining("planted fault");
    nvinfer.logFromThread(tensorRt.logger(), ERROR, "of another thread");
    assertThat(tensorRt.lastError()).contains("planted fault");
    tensorRt.clearError();
    assertThat(tensorRt.lastError()).isEqualTo("TensorRT gave no reason");
  }

  @ParameterizedTest
  @ValueSource(ints = {NvinferDouble.VERSION_10, NvinferDouble.VERSION_11})
  void survivesALogThatThrows(int version) {
    nvinfer.setVersion(version);
    MemorySegment logger = TensorRt.open(1).logger();
    long lost = TensorRtLogger.instance().lost();

    try (var log = CapturedLog.of("io.nereid.tensorrt")) {
      log.failWith(new AssertionError("planted"));
      nvinfer.logFromThread(logger, WARNING, "line");
    }

    assertThat(TensorRtLogger.instance().lost()).isEqualTo(lost + 1);
  }

  @Test
  void readsNoLineThatIsNotLogged() {
    MemorySegment logger = TensorRt.open(1).logger();

    try (var log = CapturedLog.of("io.nereid.tensorrt")) {
      log.limit(Level.WARNING);
      nvinfer.logFromThread(logger, 3, "information");
      nvinfer.logFromThread(logger, WARNING, "a warning");

      assertThat(log.lines()).isEqualTo(List.of("WARNING TensorRT: a warning"));
    }
  }
}
