package io.nereid.tensorrt.build.onnx;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * What a plan's key and profiles need to know of an ONNX file, read without TensorRT.
 *
 * <p>The files with external weights are found by walking all tensors. Hashing the directory
 * instead would miss none, but would make a label file or a second model part of the key. Field
 * numbers are those of onnx.proto.
 *
 * @param inputs the inputs that have no initializer, in the order of the graph
 * @param externalFiles as the file names them, relative to its directory, ascending
 */
public record OnnxGraph(List<Input> inputs, Set<String> externalFiles) {
  /**
   * An input of the graph.
   *
   * @param dims -1 for a dimension that is not a number
   */
  public record Input(String name, List<Long> dims) {
    public Input {
      dims = List.copyOf(dims);
    }

    public boolean isDynamic() {
      return dims.contains(-1L);
    }
  }

  public OnnxGraph {
    inputs = List.copyOf(inputs);
  }

  /**
   * Reads a file.
   *
   * @throws IOException if it cannot be read, or is no ONNX model
   */
  public static OnnxGraph read(Path file) throws IOException {
    try (var channel = FileChannel.open(file)) {
      var walk = new Walk(new ProtoFile(channel));
      walk.model();
      return walk.graph();
    }
  }

  private static final class Walk {
    private static final int EXTERNAL = 1;

    /** Real models nest a few graphs in one another. */
    private static final int MAX_DEPTH = 64;

    private final ProtoFile file;
    private final List<Input> inputs = new ArrayList<>();
    private final Set<String> initializers = new HashSet<>();
    private final Set<String> externalFiles = new TreeSet<>();
    private boolean hasGraph;

    Walk(ProtoFile file) {
      this.file = file;
    }

    OnnxGraph graph() throws IOException {
      if (!hasGraph) {
        throw new IOException("it has no graph");
      }
      inputs.removeIf(input -> initializers.contains(input.name()));
      return new OnnxGraph(inputs, externalFiles);
    }

    /** ModelProto. */
    void model() throws IOException {
      long end = file.byteSize();
      while (file.next(end)) {
        switch (file.field()) {
          case 7 -> {
            hasGraph = true;
            graph(file.message(), 0);
          }
          case 25 -> function(file.message());
          default -> file.skip();
        }
      }
    }

    private void graph(long end, int depth) throws IOException {
      if (depth > MAX_DEPTH) {
        throw new IOException("its graphs are nested too deeply");
      }
      while (file.next(end)) {
        switch (file.field()) {
          case 1 -> node(file.message(), depth);
          case 5 -> {
            String name = tensor(file.message());
            if (depth == 0) {
              initializers.add(name);
            }
          }
          case 11 -> {
            Input input = input(file.message());
            if (depth == 0) {
              inputs.add(input);
            }
          }
          case 15 -> sparseTensor(file.message());
          default -> file.skip();
        }
      }
    }

    private void function(long end) throws IOException {
      while (file.next(end)) {
        switch (file.field()) {
          case 7 -> node(file.message(), 0);
          case 11 -> attribute(file.message(), 0); // with a default value
          default -> file.skip();
        }
      }
    }

    /** NodeProto: its attributes may be tensors or graphs. */
    private void node(long end, int depth) throws IOException {
      while (file.next(end)) {
        if (file.field() == 5) {
          attribute(file.message(), depth);
        } else {
          file.skip();
        }
      }
    }

    private void attribute(long end, int depth) throws IOException {
      while (file.next(end)) {
        switch (file.field()) {
          case 5, 10 -> tensor(file.message());
          case 6, 11 -> graph(file.message(), depth + 1);
          case 22, 23 -> sparseTensor(file.message());
          default -> file.skip();
        }
      }
    }

    private void sparseTensor(long end) throws IOException {
      while (file.next(end)) {
        switch (file.field()) {
          case 1, 2 -> tensor(file.message());
          default -> file.skip();
        }
      }
    }

    /**
     * Notes the external file of a tensor; returns its name. A parser merges the parts of a tensor
     * that comes several times, so a location must be inside even where this part is not external.
     */
    private String tensor(long end) throws IOException {
      String name = "";
      String location = "";
      boolean external = false;
      while (file.next(end)) {
        switch (file.field()) {
          case 8 -> name = file.string();
          case 13 -> {
            String value = location(file.message());
            requireInside(value);
            location = value.isEmpty() ? location : value;
          }
          case 14 -> external = (int) file.number() == EXTERNAL; // an enum has 32 bits
          default -> file.skip();
        }
      }
      if (external) {
        if (location.isEmpty()) {
          throw new IOException("external tensor '%s' names no file".formatted(name));
        }
        externalFiles.add(location);
      }
      return name;
    }

    private static void requireInside(String location) throws IOException {
      try {
        Path path = Path.of(location).normalize();
        if (path.isAbsolute() || path.startsWith("..")) {
          throw new IOException(
              "its external weights '%s' are in another directory".formatted(location));
        }
      } catch (InvalidPathException noPath) {
        throw new IOException("its external weights have the name of no file", noPath);
      }
    }

    /** The value of an entry whose key is {@code location}; empty for others. */
    private String location(long end) throws IOException {
      String key = "";
      String value = "";
      while (file.next(end)) {
        switch (file.field()) {
          case 1 -> key = file.string();
          case 2 -> value = file.string();
          default -> file.skip();
        }
      }
      return key.equals("location") ? value : "";
    }

    /** ValueInfoProto. */
    private Input input(long end) throws IOException {
      String name = "";
      List<Long> dims = new ArrayList<>();
      while (file.next(end)) {
        switch (file.field()) {
          case 1 -> name = file.string();
          case 2 -> type(file.message(), dims);
          default -> file.skip();
        }
      }
      return new Input(name, dims);
    }

    private void type(long end, List<Long> dims) throws IOException {
      while (file.next(end)) {
        if (file.field() == 1) {
          tensorType(file.message(), dims);
        } else {
          file.skip();
        }
      }
    }

    private void tensorType(long end, List<Long> dims) throws IOException {
      while (file.next(end)) {
        if (file.field() == 2) {
          shape(file.message(), dims);
        } else {
          file.skip();
        }
      }
    }

    private void shape(long end, List<Long> dims) throws IOException {
      while (file.next(end)) {
        if (file.field() == 1) {
          dims.add(dimension(file.message()));
        } else {
          file.skip();
        }
      }
    }

    private long dimension(long end) throws IOException {
      long dim = -1;
      while (file.next(end)) {
        if (file.field() == 1) {
          dim = file.number();
        } else {
          file.skip();
        }
      }
      return dim < 0 ? -1 : dim;
    }
  }
}
