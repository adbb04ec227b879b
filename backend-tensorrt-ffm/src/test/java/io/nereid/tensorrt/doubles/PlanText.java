package io.nereid.tensorrt.doubles;

import io.nereid.tensor.DataType;
import io.nereid.tensor.Shape;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Writes a plan for the double of libnvinfer. The format is described in {@code nvinfer_plan.h}.
 *
 * <pre>{@code
 * new PlanText()
 *     .input("X", DataType.FP32, -1, 16)
 *     .range("X", 0, Shape.of(1, 16), Shape.of(4, 16), Shape.of(8, 16))
 *     .output("Y", DataType.FP32, "scale X 2 1", -1, 16)
 *     .writeTo(path);
 * }</pre>
 */
public final class PlanText {
  private final List<String> lines = new ArrayList<>();
  private int version = NvinferDouble.VERSION_10;
  private String gpu = NvinferDouble.GPU;
  private String magic = "nereid-plan";

  /**
   * Two INT32 inputs of dimensions [-1,16], their sum as OUTPUT0 and their difference as OUTPUT1,
   * for up to 8 rows: the model {@code simple} of Triton's examples.
   */
  public static PlanText simple() {
    var plan = new PlanText().name("simple");
    for (String input : List.of("INPUT0", "INPUT1")) {
      plan.input(input, DataType.INT32, -1, 16)
          .range(input, 0, Shape.of(1, 16), Shape.of(4, 16), Shape.of(8, 16));
    }
    return plan.output("OUTPUT0", DataType.INT32, "add INPUT0 INPUT1", -1, 16)
        .output("OUTPUT1", DataType.INT32, "sub INPUT0 INPUT1", -1, 16);
  }

  /** The version that built the plan; by default that of the double. */
  public PlanText version(int version) {
    this.version = version;
    return this;
  }

  /** The GPU that the plan is for; by default that of the double. */
  public PlanText gpu(String gpu) {
    this.gpu = gpu;
    return this;
  }

  /** Makes the plan unreadable. */
  public PlanText corrupt() {
    magic = "corrupt";
    return this;
  }

  public PlanText name(String name) {
    return line("name " + name);
  }

  /** The bytes of device memory that the engine allocates. */
  public PlanText weights(long byteSize) {
    return line("weights " + byteSize);
  }

  /** The bytes of device memory that a context needs, by profile. */
  public PlanText memory(long... byteSizes) {
    var line = new StringBuilder("memory");
    for (long byteSize : byteSizes) {
      line.append(' ').append(byteSize);
    }
    return line(line.toString());
  }

  /** The plan has code for the host, which a runtime must be told to allow. */
  public PlanText hostCode() {
    return line("host_code");
  }

  /** The number of profiles, 1 by default. */
  public PlanText profiles(int count) {
    return line("profiles " + count);
  }

  public PlanText input(String name, DataType type, long... dims) {
    return input(name, type.name(), dims);
  }

  /**
   * An input of any type of TensorRT.
   *
   * @param type such as {@code FP8}
   */
  public PlanText input(String name, String type, long... dims) {
    return line("input %s %s %s".formatted(name, type, Shape.of(dims)));
  }

  /** A shape tensor, which lies in host memory. */
  public PlanText shapeInput(String name, DataType type, long... dims) {
    return line("input %s %s %s shape".formatted(name, type, Shape.of(dims)));
  }

  /**
   * An output.
   *
   * @param operation such as {@code "add X Y"}; its operands are inputs of lines before
   */
  public PlanText output(String name, DataType type, String operation, long... dims) {
    return line("output %s %s %s %s".formatted(name, type, Shape.of(dims), operation));
  }

  /** The dimensions that a profile allows for an input of dynamic dimensions. */
  public PlanText range(String input, int profile, Shape min, Shape opt, Shape max) {
    return line("range %s %d %s %s %s".formatted(input, profile, min, opt, max));
  }

  /** The values that a profile allows for a shape tensor. */
  public PlanText values(String input, int profile, Shape min, Shape opt, Shape max) {
    return line("values %s %d %s %s %s".formatted(input, profile, min, opt, max));
  }

  /**
   * The format of a tensor in a profile.
   *
   * @param format a value of {@code nvinfer1::TensorFormat}, 0 for linear
   */
  public PlanText format(String tensor, int profile, int format) {
    return line("format %s %d %d".formatted(tensor, profile, format));
  }

  /** Any line of the format. */
  public PlanText line(String line) {
    lines.add(line);
    return this;
  }

  /** The plan as it lies in a file. */
  @Override
  public String toString() {
    return "%s\nversion %d\ngpu %s\n%s\n".formatted(magic, version, gpu, String.join("\n", lines));
  }

  /** The plan in native memory, without a zero at the end. */
  public MemorySegment bytes(Arena arena) {
    return arena.allocateFrom(ValueLayout.JAVA_BYTE, toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Writes the plan to a file, whose folder is created if it does not exist. */
  public void writeTo(Path file) {
    try {
      Files.createDirectories(file.toAbsolutePath().getParent());
      Files.writeString(file, toString());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
