package io.nereid.tensorrt.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What our headers of TensorRT state, as macro calls for {@code conformance.cc}: each slot,
 * constant, member and function that they name. The comment before a table names NVIDIA's class, so
 * nothing is written twice, and a slot that is added to a header is compared without further work.
 */
final class HeaderFacts {
  /** Structs that describe the objects, not something that NVIDIA's headers name. */
  private static final Set<String> OWN =
      Set.of("trt_Object", "trt_Implementation", "trt_ObjectTable", "onnx_Object");

  private static final Pattern ELEMENT =
      Pattern.compile(
          """
          /\\*(?<comment>.*?)\\*/\
          |struct (?<struct>\\w+) \\{(?<fields>.*?)\\n\\};\
          |enum (?<enum>\\w+) \\{(?<constants>.*?)\\};\
          |^\\w[\\w ]*[ *](?<function>\\w+)\\([^;]*\\);\
          """,
          Pattern.DOTALL | Pattern.MULTILINE);

  private static final Pattern CLASS = Pattern.compile("^\\s*((?:nvinfer1|nvonnxparser)::[\\w:]+)");
  private static final Pattern FIELD =
      Pattern.compile("^\\s*(?<type>.+?[ *])(?<name>\\w+)(\\[\\d+])?;", Pattern.MULTILINE);
  private static final Pattern CONSTANT = Pattern.compile("(\\w+) = \\d+");
  private static final Pattern DATA = Pattern.compile("(const char \\*|int32_t |int64_t )");

  private final int major;
  private final List<String> facts = new ArrayList<>();

  private HeaderFacts(int major) {
    this.major = major;
  }

  /**
   * The facts on one major version.
   *
   * @param headers the folder of our headers
   */
  static List<String> of(Path headers, int major) throws IOException {
    HeaderFacts all = new HeaderFacts(major);
    all.read(headers.resolve("nvinfer.h"));
    all.read(headers.resolve("trt_types.h"));
    all.read(headers.resolve("trt" + major + "_abi.h"));
    all.facts.add("#if __has_include(\"NvOnnxParser.h\")");
    all.read(headers.resolve("nvonnxparser.h"));
    all.facts.add("#endif");
    return List.copyOf(all.facts);
  }

  private void read(Path header) throws IOException {
    String type = "";
    Matcher element = ELEMENT.matcher(Files.readString(header));
    while (element.find()) {
      if (element.group("comment") != null) {
        Matcher name = CLASS.matcher(element.group("comment"));
        type = name.find() ? name.group(1) : "";
      } else if (element.group("struct") != null) {
        struct(type, element.group("struct"), element.group("fields"));
      } else if (element.group("enum") != null) {
        constants(type, element.group("enum"), element.group("constants"));
      } else {
        facts.add("FUNCTION(" + element.group("function") + ")");
      }
    }
  }

  private void struct(String type, String struct, String fields) {
    if (OWN.contains(struct) || isOfOtherMajor(struct)) {
      return;
    }
    requireType(type, struct);
    if (type.startsWith("nvinfer1::apiv::V")) {
      facts.add("OBJECT(" + type.replace("apiv::V", "I") + ")");
    }
    if (DATA.matcher(fields.strip()).lookingAt()) {
      facts.add("SIZE(%s, %s)".formatted(type, struct));
    }
    Matcher field = FIELD.matcher(fields);
    while (field.find()) {
      String name = field.group("name");
      if (DATA.matcher(field.group("type")).lookingAt()) {
        facts.add("MEMBER(%s, %s, %s)".formatted(type, struct, name));
      } else if (name.equals("deletingDestructor")) {
        facts.add("DESTRUCTORS(%s, %s, %s)".formatted(type, struct, name));
      } else if (name.equals("completeDestructor")) {
        facts.add("WHOLE(%s, %s)".formatted(type, struct)); // an interface that we implement
      } else if (!name.startsWith("unused_")) {
        facts.add("SLOT(%s, %s, %s)".formatted(type, struct, name));
      }
    }
  }

  private void constants(String type, String name, String constants) {
    if (isOfOtherMajor(name)) {
      return;
    }
    requireType(type, name);
    Matcher constant = CONSTANT.matcher(constants);
    while (constant.find()) {
      String ours = constant.group(1);
      facts.add("CONSTANT(%s, %s, %s)".formatted(type, ours, ours.replaceFirst("^trt\\d+_", "")));
    }
  }

  private boolean isOfOtherMajor(String name) {
    return !name.startsWith("trt_") && !name.startsWith("trt" + major + "_");
  }

  private static void requireType(String type, String name) {
    if (type.isEmpty()) {
      throw new IllegalStateException("no comment names NVIDIA's type of " + name);
    }
  }
}
