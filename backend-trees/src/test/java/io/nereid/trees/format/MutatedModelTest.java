package io.nereid.trees.format;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.ForestWalk;
import io.nereid.trees.forest.MalformedModelException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every committed model, cut off and changed at random: {@code -Dnereid.trees.mutations} times
 * each. What remains is a model that can be walked, or gets a sentence, in memory that its size
 * bounds.
 */
class MutatedModelTest {
  private static final int MUTATIONS = Integer.getInteger("nereid.trees.mutations", 12);

  /**
   * What a mutated number can ask for without a longer file: features and outputs at their most.
   */
  private static final long MOST_BYTES = 160L << 20;

  static Stream<Path> models() {
    try {
      Path folder = Path.of(MutatedModelTest.class.getResource("/models").toURI());
      try (Stream<Path> files = Files.walk(folder)) {
        return files.filter(file -> file.toString().contains("model.")).toList().stream();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    } catch (URISyntaxException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  @ParameterizedTest
  @MethodSource("models")
  @Timeout(value = 10, unit = TimeUnit.MINUTES)
  void aChangedFileIsAModelOrGetsASentence(Path file) throws IOException {
    byte[] model = Files.readAllBytes(file);
    for (int seed = 0; seed < MUTATIONS; seed++) {
      var random = new Random(seed);
      byte[] changed = seed % 4 == 0 ? cutOff(model, random) : mutated(model, random);
      check(changed, file + ", seed " + seed);
    }
  }

  private static byte[] cutOff(byte[] model, Random random) {
    return Arrays.copyOf(model, random.nextInt(model.length));
  }

  private static byte[] mutated(byte[] model, Random random) {
    byte[] changed = model.clone();
    for (int count = 1 + random.nextInt(3); count > 0; count--) {
      int at = random.nextInt(changed.length);
      boolean isDigit = changed[at] >= '0' && changed[at] <= '9';
      if (isDigit && random.nextInt(3) > 0) {
        changed[at] = (byte) ('0' + random.nextInt(10));
        continue;
      }
      switch (random.nextInt(4)) {
        case 0 -> changed[at] = (byte) random.nextInt();
        case 1 -> changed[at] ^= (byte) (1 << random.nextInt(8));
        case 2 -> { // a part is gone
          int length = random.nextInt(Math.min(20, changed.length - at));
          byte[] shorter = new byte[changed.length - length];
          System.arraycopy(changed, 0, shorter, 0, at);
          System.arraycopy(changed, at + length, shorter, at, shorter.length - at);
          changed = shorter;
        }
        default -> { // a part is written twice
          int length = random.nextInt(Math.min(20, changed.length - at));
          byte[] longer = new byte[changed.length + length];
          System.arraycopy(changed, 0, longer, 0, at + length);
          System.arraycopy(changed, at, longer, at + length, changed.length - at);
          changed = longer;
        }
      }
    }
    return changed;
  }

  private static void check(byte[] bytes, String what) throws IOException {
    var thread = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = thread.getCurrentThreadAllocatedBytes();
    try {
      Ensemble model =
          TreeFileFormat.read(
              new ByteArrayInputStream(bytes),
              bytes.length,
              TreeFileFormat.of(bytes),
              DataType.FP32);
      walk(model);
    } catch (MalformedModelException malformed) {
      assertThat(malformed.getMessage()).as(what).isNotBlank().doesNotContain("\n");
      assertThat(malformed.getMessage().length()).as(what).isLessThan(400);
    } catch (RuntimeException | Error bug) {
      throw new AssertionError(what, bug);
    }
    assertThat(thread.getCurrentThreadAllocatedBytes() - before).as(what).isLessThan(MOST_BYTES);
  }

  private static void walk(Ensemble model) {
    var walk = new ForestWalk(model);
    int rows = Math.min(5, walk.maxRows());
    float[] values = new float[rows * model.features().count()];
    for (int i = 0; i < values.length; i++) {
      values[i] = i % 11 == 0 ? Float.NaN : i % 7 - 3;
    }
    double[] margins = new double[rows * model.outputs()];
    walk.margins(model, MemorySegment.ofArray(values), 0, rows, margins);
    for (int row = 0; row < rows; row++) {
      model.link().apply(margins, row * model.outputs(), (row + 1) * model.outputs());
    }
  }
}
