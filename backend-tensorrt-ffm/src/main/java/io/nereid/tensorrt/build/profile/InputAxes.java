package io.nereid.tensorrt.build.profile;

import io.nereid.tensorrt.build.onnx.OnnxGraph;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A dynamic input: the range of each of its dimensions, empty where there is none. */
final class InputAxes {
  private final OnnxGraph.Input input;
  private final List<Optional<long[]>> bounds = new ArrayList<>();

  InputAxes(OnnxGraph.Input input) {
    this.input = input;
  }

  OnnxGraph.Input input() {
    return input;
  }

  /** Adds the range of the next dimension: minimum, optimum and maximum. */
  void add(Optional<long[]> range) {
    bounds.add(range);
  }

  boolean isBounded() {
    return bounds.stream().allMatch(Optional::isPresent);
  }

  /** The range of the input, all of whose dimensions have one. */
  Profile.Range range() {
    List<List<Long>> entries = new ArrayList<>();
    for (int entry = 0; entry < 3; entry++) {
      List<Long> dims = new ArrayList<>();
      for (Optional<long[]> bound : bounds) {
        dims.add(bound.orElseThrow()[entry]);
      }
      entries.add(dims);
    }
    return new Profile.Range(input.name(), false, entries.get(0), entries.get(1), entries.get(2));
  }

  /** What the parameter should say, with placeholders. */
  String placeholder() {
    return input.name()
        + List.of("<min>", "<opt>", "<max>").stream()
            .map(placeholder ->
                bounds.stream()
                    .map(bound -> bound.isPresent() ? StatedRange.UNSTATED : placeholder)
                    .collect(Collectors.joining("x")))
            .collect(Collectors.joining("/", ":", ""));
  }
}
