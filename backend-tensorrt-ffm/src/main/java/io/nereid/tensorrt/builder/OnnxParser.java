package io.nereid.tensorrt.builder;

import io.nereid.tensorrt.bindings.nvinfer.Nvinfer;
import io.nereid.tensorrt.bindings.nvonnxparser.IParserError_code;
import io.nereid.tensorrt.bindings.nvonnxparser.IParserError_desc;
import io.nereid.tensorrt.bindings.nvonnxparser.IParserError_node;
import io.nereid.tensorrt.bindings.nvonnxparser.IParserError_nodeName;
import io.nereid.tensorrt.bindings.nvonnxparser.IParserError_nodeOperator;
import io.nereid.tensorrt.bindings.nvonnxparser.IParser_delete;
import io.nereid.tensorrt.bindings.nvonnxparser.IParser_getError;
import io.nereid.tensorrt.bindings.nvonnxparser.IParser_getNbErrors;
import io.nereid.tensorrt.bindings.nvonnxparser.IParser_parseFromFile;
import io.nereid.tensorrt.bindings.nvonnxparser.Nvonnxparser;
import io.nereid.tensorrt.bindings.nvonnxparser.onnx_Object;
import io.nereid.tensorrt.bindings.nvonnxparser.trt10_IParser;
import io.nereid.tensorrt.bindings.nvonnxparser.trt11_IParser;
import io.nereid.tensorrt.bindings.nvonnxparser.trt_IParserError;
import io.nereid.tensorrt.engine.MethodTable;
import io.nereid.tensorrt.engine.NativeObject;
import io.nereid.tensorrt.engine.TensorRt;
import io.nereid.tensorrt.engine.TensorRtException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code nvonnxparser::IParser}: adds the layers of an ONNX file to a network. Its methods are in
 * its own table, unlike those of other objects. It owns the weights, so it is closed after the
 * build, and before the network.
 */
public final class OnnxParser implements AutoCloseable {
  private final TensorRt tensorRt;
  private final MemorySegment parser;
  private final MethodTable methods;
  private boolean closed;

  private OnnxParser(TensorRt tensorRt, MemorySegment parser) {
    this.tensorRt = tensorRt;
    this.parser = parser;
    this.methods =
        MethodTable.at(
            onnx_Object.table(parser),
            tensorRt.version(),
            trt10_IParser.layout(),
            trt11_IParser.layout());
  }

  /** The version of the loaded parser, {@code major * 10000 + minor * 100 + patch}. */
  public static int version() {
    return Nvonnxparser.getNvOnnxParserVersion();
  }

  /**
   * Creates a parser.
   *
   * @throws TensorRtException if the library does not create one
   */
  public static OnnxParser create(TensorRt tensorRt, Network network) {
    tensorRt.clearError();
    MemorySegment address =
        Nvonnxparser.createNvOnnxParser_INTERNAL(network.address(), tensorRt.logger(), version());
    if (NativeObject.isNull(address)) {
      throw tensorRt.failure("TensorRT created no IParser");
    }
    return new OnnxParser(tensorRt, address.reinterpret(onnx_Object.layout().byteSize()));
  }

  /**
   * Parses a file, and the files with external weights in its directory.
   *
   * @return why it cannot be parsed, one line for each error; empty if it can
   */
  public List<String> parse(Path file) {
    requireOpen();
    tensorRt.clearError();
    try (var arena = Arena.ofConfined()) {
      if (IParser_parseFromFile.invoke(
          methods.method("parseFromFile"),
          parser,
          arena.allocateFrom(file.toString()),
          Nvinfer.kWARNING())) {
        return List.of();
      }
    }
    String lastError = tensorRt.lastError();
    int count = IParser_getNbErrors.invoke(methods.method("getNbErrors"), parser);
    List<String> errors = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      MemorySegment error = IParser_getError.invoke(methods.method("getError"), parser, i);
      errors.add(NativeObject.isNull(error) ? lastError : text(error));
    }
    return errors.isEmpty() ? List.of(lastError) : errors;
  }

  /** An error in one line, such as {@code node 3 'conv1' (Conv): no weights (code 8)}. */
  private static String text(MemorySegment pointer) {
    MemorySegment error = pointer.reinterpret(onnx_Object.layout().byteSize());
    MemorySegment table =
        onnx_Object.table(error).reinterpret(trt_IParserError.layout().byteSize());
    String desc = text(IParserError_desc.invoke(trt_IParserError.desc(table), error), "no text");
    int code = IParserError_code.invoke(trt_IParserError.code(table), error);
    int node = IParserError_node.invoke(trt_IParserError.node(table), error);
    if (node < 0) { // the error is of the model as a whole
      return "%s (code %d)".formatted(desc, code);
    }
    return "node %d '%s' (%s): %s (code %d)"
        .formatted(
            node,
            text(IParserError_nodeName.invoke(trt_IParserError.nodeName(table), error), ""),
            text(IParserError_nodeOperator.invoke(trt_IParserError.nodeOperator(table), error), ""),
            desc,
            code);
  }

  private static String text(MemorySegment pointer, String otherwise) {
    return NativeObject.isNull(pointer)
        ? otherwise
        : pointer.reinterpret(Long.MAX_VALUE).getString(0).strip();
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("IParser is closed");
    }
  }

  /** Deletes the parser. Has no effect if it is closed. */
  @Override
  public void close() {
    if (!closed) {
      closed = true;
      IParser_delete.invoke(methods.method("deletingDestructor"), parser);
    }
  }
}
