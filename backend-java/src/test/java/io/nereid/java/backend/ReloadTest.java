package io.nereid.java.backend;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.java.TensorArrays;
import io.nereid.tck.model.OpenModel;
import io.nereid.tck.support.Tensors;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Loads that are unloaded for good. The system property {@code nereid.java.reloads} is their
 * number, a multiple of ten; 20 unless set.
 */
class ReloadTest {
  private static final int RELOADS = Integer.getInteger("nereid.java.reloads", 20);
  private static final int PARTS = 10;

  @TempDir Path directory;

  @Test
  void theLoaderOfEachVersionGoesAndTheMetaspaceStaysFlat() throws InterruptedException {
    var folder = new ModelFolder(directory);
    var gone = new ReferenceQueue<ClassLoader>();
    Set<Reference<ClassLoader>> loaders = new HashSet<>();
    loaders.add(reload(folder, 0, gone)); // the compiler's own classes come
    collect(loaders, gone);
    List<Long> metaspace = new ArrayList<>();
    for (int i = 1; i <= RELOADS; i++) {
      loaders.add(reload(folder, i, gone));
      if (i % (RELOADS / PARTS) == 0) {
        collect(loaders, gone);
        metaspace.add(metaspace());
      }
    }

    assertThat(loaders).as("loaders that are still there").isEmpty();
    System.out.println(RELOADS + " loads; KiB of metaspace behind each tenth: " + metaspace);
    // methods that become hot have profiles there, so the first half is not flat
    assertThat(metaspace.getLast() - metaspace.get(PARTS / 2))
        .as("growth of the metaspace in the second half, KiB")
        .isLessThan(1024);
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

  /** Collects garbage until all loaders are gone, or a minute has passed. */
  private static void collect(Set<Reference<ClassLoader>> loaders, ReferenceQueue<ClassLoader> gone)
      throws InterruptedException {
    long end = System.nanoTime() + 60_000_000_000L;
    while (!loaders.isEmpty() && System.nanoTime() < end) {
      System.gc();
      for (var each = gone.remove(50); each != null; each = gone.poll()) {
        loaders.remove(each);
      }
    }
  }

  /** KiB that are used. */
  private static long metaspace() {
    return ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getName().equals("Metaspace"))
            .mapToLong((MemoryPoolMXBean pool) -> pool.getUsage().getUsed())
            .sum()
        >> 10;
  }
}
