package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.engine.testing.FuzzedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Files;
import java.nio.file.Path;

/** Any bytes as a file in TensorRT's cache of plans. */
class CacheFileFuzzTest {
  private static final byte[] KEY = new byte[32];

  private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/cache/p.plan");

  @FuzzTest
  void isReadOrRejected(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          try (var arena = Arena.ofConfined()) {
            Files.createDirectories(file.getParent());
            Files.write(file, input);
            MemorySegment content = CacheFile.read(file, KEY, arena);
            CacheFile.write(file, KEY, content);
            assertThat(CacheFile.read(file, KEY, arena).mismatch(content)).isEqualTo(-1);
          } catch (IOException rejected) {
            assertThat(rejected.getMessage()).startsWith("it");
          }
        });
  }
}
