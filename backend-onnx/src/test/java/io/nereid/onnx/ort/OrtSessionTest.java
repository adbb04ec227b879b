package io.nereid.onnx.ort;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.nereid.tensor.Elements;
import io.nereid.tensor.Shape;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class OrtSessionTest {
  private static final int FLOAT = 1;
  private static final int INT32 = 6;
  private static final Shape ROW = Shape.of(1, 16);

  private final Arena arena = Arena.ofConfined();
  private long handles;
  private OrtEnvironment environment;

  OrtSessionTest() throws Exception {
    handles = OrtEnvironment.openHandles();
    environment = OrtEnvironment.open(Optional.empty(), Optional.empty(), Optional.empty(), false);
  }

  @BeforeEach
  void hasAVersion() {
    assertThat(environment.libraryVersion()).matches("1\\.\\d+\\.\\d+");
  }

  @AfterEach
  void allHandlesAreReleased() {
    environment.close();
    arena.close();
    assertThat(OrtEnvironment.openHandles()).isEqualTo(handles);
  }

  private static Path model(String name) {
    var url = Objects.requireNonNull(OrtSessionTest.class.getResource("/models/" + name + ".onnx"));
    try {
      return Path.of(url.toURI());
    } catch (URISyntaxException malformed) {
      throw new AssertionError(malformed);
    }
  }

  private OrtSession open(String name) {
    try (var options = environment.options()) {
      options.threads(1, 1);
      return environment.open(model(name), options);
    }
  }

  private MemorySegment ints(int first) {
    MemorySegment data = arena.allocate(64, 64);
    for (int i = 0; i < 16; i++) {
      data.set(Elements.INT, i * 4L, first + i);
    }
    return data;
  }

  @Test
  void describesInputsAndOutputs() {
    try (var session = open("nonzero")) {
      assertThat(session.inputs())
          .containsExactly(new OrtTensorInfo("IN", FLOAT, true, Shape.of(-1), List.of("n")));
      assertThat(session.outputs().getFirst().dims()).isEqualTo(Shape.of(1, -1));
      assertThat(session.outputs().getFirst().symbols()).containsExactly("", "found");
    }
    try (var session = open("optional")) {
      assertThat(session.inputs()).extracting(OrtTensorInfo::name).containsExactly("IN");
      assertThat(session.initializers()).extracting(OrtTensorInfo::name).containsExactly("BIAS");
    }
  }

  @Test
  void writesOutputsInPlaceOrInMemoryOfOnnxRuntime() {
    MemorySegment sum = arena.allocate(64, 64);
    try (var session = open("simple");
        var run = session.openRun()) {
      run.begin();
      run.input(0, ints(10), INT32, ROW);
      run.input(1, ints(1), INT32, ROW);
      run.output(0, sum, INT32, ROW);
      run.output(1);
      run.run();

      assertThat(sum.get(Elements.INT, 4)).isEqualTo(13);
      try (var difference = run.take(1)) {
        assertThat(difference.shape()).isEqualTo(ROW);
        assertThat(difference.elementType()).isEqualTo(INT32);
        assertThat(difference.data().byteSize()).isEqualTo(64);
        assertThat(difference.data().get(Elements.INT, 4)).isEqualTo(9);
      }
    }
  }

  @Test
  void readsInputsAnewInEachRun() {
    MemorySegment sum = arena.allocate(64, 64);
    MemorySegment left = ints(0);
    try (var session = open("simple");
        var run = session.openRun()) {
      for (int round = 0; round < 4; round++) {
        left.set(Elements.INT, 0, 100 * round);
        run.begin();
        run.input(0, left, INT32, ROW);
        run.input(1, ints(round), INT32, ROW);
        run.output(0, sum, INT32, ROW);
        run.run();
        assertThat(sum.get(Elements.INT, 0)).isEqualTo(101 * round);
      }
    }
  }

  @Test
  void outputsRemainValidAfterTheirSessionIsClosed() {
    OrtValue value;
    try (var session = open("simple");
        var run = session.openRun()) {
      run.begin();
      run.input(0, ints(5), INT32, ROW);
      run.input(1, ints(5), INT32, ROW);
      run.output(0);
      run.run();
      value = run.take(0);
    }
    assertThat(value.data().get(Elements.INT, 0)).isEqualTo(10);
    value.close();
  }

  @Test
  void useOfAClosedHandleThrows() {
    var session = open("simple");
    var run = session.openRun();
    run.begin();
    run.input(0, ints(1), INT32, ROW);
    run.input(1, ints(2), INT32, ROW);
    run.output(0);
    run.run();
    OrtValue value = run.take(0);
    value.close();
    value.close(); // closing again does nothing

    assertThatIllegalStateException().isThrownBy(value::data).withMessageContaining("VALUE");
    assertThatIllegalStateException().isThrownBy(() -> run.take(0));

    session.close();
    assertThatIllegalStateException().isThrownBy(run::run).withMessageContaining("SESSION");
    assertThatIllegalStateException().isThrownBy(session::openRun).withMessageContaining("SESSION");
    run.close();
    assertThatIllegalStateException().isThrownBy(run::terminate);
  }

  @Test
  void environmentWithAnOpenSessionCannotBeClosed() {
    try (var session = open("simple")) {
      assertThat(session.inputs()).hasSize(2);
      assertThatIllegalStateException()
          .isThrownBy(environment::close)
          .withMessage("1 sessions are still open");
    }
  }

  @Test
  void rejectsMemoryOfTheJavaHeap() {
    try (var session = open("simple");
        var run = session.openRun()) {
      run.begin();
      assertThatThrownBy(() -> run.input(0, MemorySegment.ofArray(new int[16]), INT32, ROW))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void failureHasCodeAndTextOfOnnxRuntime() {
    try (var session = open("simple");
        var run = session.openRun()) {
      run.begin();
      run.input(0, ints(1), INT32, ROW);
      run.output(0);
      assertThatThrownBy(run::run)
          .isInstanceOfSatisfying(
              OrtException.class,
              failure -> {
                assertThat(failure).hasMessageContaining("INPUT1");
                assertThat(failure.code()).isNotZero();
              });
    }
  }

  @Test
  void allocatesNothingOnTheJavaHeapInSteadyState() {
    MemorySegment[] lefts = {ints(1), ints(2)};
    MemorySegment[] rights = {ints(3), ints(4)};
    MemorySegment sum = arena.allocate(64, 64);
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    try (var session = open("simple");
        var run = session.openRun()) {
      long least = Long.MAX_VALUE;
      for (int round = 0; round < 40 && least > 0; round++) { // until all is compiled
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 2_000; i++) {
          run.begin();
          run.input(0, lefts[i & 1], INT32, ROW);
          run.input(1, rights[i & 1], INT32, ROW);
          run.output(0, sum, INT32, ROW);
          run.run();
        }
        least = Math.min(least, threads.getCurrentThreadAllocatedBytes() - before);
      }
      assertThat(least / 2_000).isZero();
    }
  }
}
