package io.nereid.tensorrt.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import io.nereid.tensorrt.cuda.CudaStream;
import io.nereid.tensorrt.cuda.DeviceBuffer;
import io.nereid.tensorrt.doubles.CudartDouble;
import io.nereid.tensorrt.doubles.NvinferDouble;
import io.nereid.tensorrt.doubles.PlanText;
import io.nereid.tensorrt.doubles.UsesDoubles;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What the double of libnvinfer finds: planted misuses, each of which it must report. */
@UsesDoubles
final class NvinferDoubleTest {
  private final CudartDouble cuda;
  private DoubleDevice gpu;

  NvinferDoubleTest(CudartDouble cuda, NvinferDouble nvinfer) {
    this.cuda = cuda;
    nvinfer.reset();
  }

  @BeforeEach
  void open() {
    gpu = new DoubleDevice();
  }

  @AfterEach
  void close() {
    gpu.close();
  }

  /** The violations, which are then forgotten, since this test has planted them. */
  private void assertViolation(String text) {
    assertThat(cuda.violations()).isNotEmpty().allSatisfy(line -> assertThat(line).contains(text));
    cuda.reset();
  }

  private ExecutionContext doubling(DeviceBuffer input, DeviceBuffer output) {
    ExecutionContext context =
        gpu.context(
            new PlanText()
                .input("x", DataType.FP32, 2)
                .output("y", DataType.FP32, "scale x 2 0", 2));
    context.setAddress(0, input.address());
    context.setAddress(1, output.address());
    return context;
  }

  @Test
  void showsAnInputThatIsOverwrittenTooEarly() {
    DeviceBuffer input = gpu.upload(1f, 2f);
    DeviceBuffer output = gpu.buffer(8);
    ExecutionContext context = doubling(input, output);
    try (CudaStream copies = CudaStream.create(0)) {
      gpu.stream.synchronize();

      context.enqueue(gpu.stream);
      copies.fill(input, 0, 8, (byte) 0); // without a wait for the event of consumed inputs
      copies.synchronize();
    }

    assertThat(gpu.floats(output)).containsExactly(0, 0);
  }

  @Test
  void findsWorkOfAContextOnTwoStreams() {
    ExecutionContext context = doubling(gpu.upload(1f, 2f), gpu.buffer(8));
    try (CudaStream second = CudaStream.create(0)) {
      context.enqueue(gpu.stream);
      context.enqueue(second);
      gpu.stream.synchronize();
      second.synchronize();
    }

    assertViolation("on a second stream before that on the first is executed");
  }

  @Test
  void findsTwoThreadsInOneContext() {
    ExecutionContext context =
        gpu.context(
            new PlanText()
                .input("x", DataType.FP32, 2)
                .output("y", DataType.INT64, "nonzero x", 1, -1));
    DeviceBuffer output = gpu.alignedBuffer();
    context.setAddress(0, gpu.upload(1f, 2f).address());
    context.setOutputAllocator(
        1,
        (_, _, _) -> {
          callFromAnotherThread(context);
          return output.address();
        });

    context.enqueue(gpu.stream);

    assertViolation("two threads call one context");
  }

  private static void callFromAnotherThread(ExecutionContext context) {
    var call = new FutureTask<>(() -> context.shape(0));
    Thread.ofPlatform().start(call);
    try {
      assertThat(call.get()).isEqualTo(Shape.of(2));
    } catch (Exception failure) {
      throw new AssertionError(failure);
    }
  }

  @Test
  void findsAContextThatIsDeletedBeforeItsWorkIsExecuted() {
    ExecutionContext context = doubling(gpu.upload(1f, 2f), gpu.buffer(8));
    context.enqueue(gpu.stream);

    context.close();
    gpu.stream.synchronize();

    assertViolation("a context is deleted before its work is executed");
  }

  @Test
  void findsMemoryThatIsTooSmall() {
    ExecutionContext context = doubling(gpu.upload(1f, 2f), gpu.buffer(4));
    context.enqueue(gpu.stream);
    gpu.stream.synchronize();

    assertViolation("outputs are written: 8 bytes of y");
  }

  @Test
  void findsMemoryThatIsFreedBeforeItIsRead() {
    DeviceBuffer input = gpu.upload(1f, 2f);
    ExecutionContext context = doubling(input, gpu.buffer(8));
    input.free(gpu.stream);

    context.enqueue(gpu.stream);
    gpu.stream.synchronize();

    assertViolation("inputs are read: 8 bytes of x");
  }

  @Test
  void findsHostMemoryAsTheAddressOfADeviceTensor() {
    ExecutionContext context = doubling(gpu.upload(1f, 2f), gpu.buffer(8));
    MemorySegment host = gpu.arena.allocate(256, 256);
    context.setAddress(0, host);
    context.enqueue(gpu.stream);
    gpu.stream.synchronize();

    assertViolation("of x at 0x");
  }

  @Test
  void countsObjectsThatAreNotDeleted() {
    CudaEngine engine = gpu.engine(PlanText.simple());
    ExecutionContext leaked = engine.createContext(AllocationStrategy.STATIC);

    assertThat(cuda.live("IExecutionContext")).isEqualTo(1);
    assertThatThrownBy(engine::close).isInstanceOf(IllegalStateException.class);

    leaked.close();
    assertThat(cuda.live("IExecutionContext")).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "101501, 2, 'IRuntime, slot 2: Nereid must not call it'",
    "110100, 9, 'IRuntime, slot 9: Nereid must not call it'",
    "110100, 3, 'IRuntime_deserializeCudaEngine of a deleted object'",
  })
  void endsTheProcessThatCallsASlotWhichMustNotBeCalled(int version, int slot, String text)
      throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:-CreateCoredumpOnCrash",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty(
                    "surefire.test.class.path", System.getProperty("java.class.path")),
                ForbiddenCall.class.getName(),
                Integer.toString(version),
                Integer.toString(slot))
            .redirectErrorStream(true)
            .start();

    String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

    assertThat(process.waitFor()).as(output).isNotZero();
    assertThat(output).contains("libnvinfer double: " + text);
  }
}
