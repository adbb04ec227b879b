package io.nereid.server.tensorrt;

import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.tensorrt.build.onnx.OnnxGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Any bytes as an ONNX file, of which the TensorRT backend reads inputs and external files. */
class OnnxGraphFuzzTest {
  private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/model.onnx");

  @FuzzTest
  void isReadOrRejected(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            Files.write(file, input);
            OnnxGraph graph = OnnxGraph.read(file);
            assertThat(graph.inputs())
                .allSatisfy(in -> assertThat(in.dims()).allMatch(dim -> dim >= -1));
          } catch (IOException rejected) {
            assertThat(rejected.getMessage()).isNotEmpty();
          }
        });
  }
}
