package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.java.TensorArrays;
import io.nereid.tck.support.OpenModel;
import io.nereid.tck.support.Tensors;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads that are unloaded for good. The system property {@code nereid.java.reloads} is their
 * number, 20 unless set.
 */
class ReloadTest {
  private static final int RELOADS = Integer.getInteger("nereid.java.reloads", 20);

  @TempDir Path directory;

  @Test
  void theLoaderOfEachVersionGoesAndTheMetaspaceStaysFlat() throws InterruptedException {
    var folder = new ModelFolder(directory);
    var gone = new ReferenceQueue<ClassLoader>();
    Set<Reference<ClassLoader>> loaders = new HashSet<>();
    loaders.add(reload(folder, 0, gone)); // the compiler's own classes come
    collect(loaders, gone);
    long before = metaspace();
    int classes = ManagementFactory.getClassLoadingMXBean().getLoadedClassCount();

    for (int i = 1; i < RELOADS; i++) {
      loaders.add(reload(folder, i, gone));
      if (i % 50 == 0) {
        collect(loaders, gone);
      }
    }
    collect(loaders, gone);
    long after = metaspace();
    System.out.printf(
        "%d loads: metaspace %,d KiB before, %,d KiB after; %d classes more%n",
        RELOADS,
        before >> 10,
        after >> 10,
        ManagementFactory.getClassLoadingMXBean().getLoadedClassCount() - classes);

    assertThat(loaders).as("loaders that are still there").isEmpty();
    assertThat(after - before).as("growth of the metaspace").isLessThan(4L << 20);
  }

  /** Compiles, loads, asks and closes one version, and returns what tells that its loader goes. */
  private static Reference<ClassLoader> reload(
      ModelFolder folder, int number, ReferenceQueue<ClassLoader> gone) {
    folder.withBody(ModelFolder.adding(number));
    try (OpenModel model = folder.open()) {
      var x = TensorArrays.of("x", new float[] {1}, 1);
      var outputs = model.execute(List.of(List.of(x))).outputs(0);
      assertThat(TensorArrays.floats(Tensors.named(outputs, "y"))).containsExactly(1 + number);
      return new WeakReference<>(((SimpleModel) model.model()).type().getClassLoader(), gone);
    }
  }

  /** Collects garbage until all loaders are gone, or ten seconds have passed. */
  private static void collect(Set<Reference<ClassLoader>> loaders, ReferenceQueue<ClassLoader> gone)
      throws InterruptedException {
    long end = System.nanoTime() + 10_000_000_000L;
    while (!loaders.isEmpty() && System.nanoTime() < end) {
      System.gc();
      for (var each = gone.remove(50); each != null; each = gone.poll()) {
        loaders.remove(each);
      }
    }
  }

  private static long metaspace() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
        .filter(pool -> pool.getName().equals("Metaspace"))
        .mapToLong((MemoryPoolMXBean pool) -> pool.getUsage().getUsed())
        .sum();
  }
}
