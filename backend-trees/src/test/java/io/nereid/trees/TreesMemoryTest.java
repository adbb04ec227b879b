package io.nereid.trees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.nereid.config.ModelConfig;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.ForestWalk;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a model takes of the heap is bounded by the bytes of its file, not by numbers in it. */
class TreesMemoryTest {
  /** What reading takes for a file of any size: its buffer, and what formats messages. */
  private static final long BASE_BYTES = 2 << 20;

  @TempDir private Path directory;

  /** XGBoost's model of trees in which each of four nodes has a category of its own. */
  private static String categories(int trees, int category) {
    String tree =
        """
        {"base_weights": [0, 0, 0, 0, 0, 0, 0, 0, 0],
        "categories": [%1$d, %1$d, %1$d, %1$d], "categories_nodes": [0, 2, 4, 6],
        "categories_segments": [0, 1, 2, 3], "categories_sizes": [1, 1, 1, 1],
        "default_left": [0, 0, 0, 0, 0, 0, 0, 0, 0],
        "left_children": [1, -1, 3, -1, 5, -1, 7, -1, -1],
        "right_children": [2, -1, 4, -1, 6, -1, 8, -1, -1],
        "split_conditions": [0, 1, 0, 2, 0, 3, 0, 4, 5],
        "split_indices": [0, 0, 0, 0, 0, 0, 0, 0, 0],
        "split_type": [1, 0, 1, 0, 1, 0, 1, 0, 0],
        "tree_param": {"size_leaf_vector": "1"}}\
        """
            .formatted(category);
    return model(
        IntStream.range(0, trees).mapToObj(_ -> tree).collect(Collectors.joining(",")),
        IntStream.range(0, trees).mapToObj(_ -> "0").collect(Collectors.joining(",")),
        1,
        0);
  }

  /** A model of one tree, a stump of the last feature. */
  private static String stump(int features, int classes) {
    return model(
        """
        {"base_weights": [0, 1, 2], "default_left": [0, 0, 0], "left_children": [1, -1, -1],
        "right_children": [2, -1, -1], "split_conditions": [0.5, 1, 2],
        "split_indices": [%d, 0, 0], "split_type": [0, 0, 0],
        "tree_param": {"size_leaf_vector": "1"}}\
        """
            .formatted(features - 1),
        "0",
        features,
        classes);
  }

  private static String model(String trees, String groups, int features, int classes) {
    return """
    {"learner": {"gradient_booster": {"model": {"trees": [%s], "tree_info": [%s]},
    "name": "gbtree"}, "learner_model_param": {"base_score": "0", "num_class": "%d",
    "num_feature": "%d"}, "objective": {"name": "reg:squarederror"}}, "version": [3, 2, 0]}
    """
        .formatted(trees, groups, classes, features);
  }

  private Ensemble read(String json) {
    try {
      Path file = Files.writeString(directory.resolve("model.json"), json);
      return new TreesFile(TestModels.bare("m"), file).read();
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    }
  }

  private static long allocated(Supplier<?> work) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    Object result = work.get();
    long after = threads.getCurrentThreadAllocatedBytes();
    assertThat(result).isNotNull();
    return after - before;
  }

  @Test
  void aCategoryTakesAsMuchHoweverLargeItsNumberIs() {
    String json = categories(8, (1 << 24) - 1);

    assertThat(allocated(() -> read(json))).isLessThan(BASE_BYTES);
  }

  @Test
  void aCategoryIsFoundWhateverItsNumberIs() {
    for (int category : new int[] {0, 31, 32, 9_000_001, (1 << 24) - 1}) {
      Ensemble model = read(categories(1, category));

      assertThat(margin(model, category)).isEqualTo(5);
      assertThat(margin(model, category - 1f)).isEqualTo(1);
      assertThat(margin(model, category + 1f)).isEqualTo(1);
      assertThat(margin(model, -5)).isEqualTo(1);
      assertThat(margin(model, Float.MAX_VALUE)).isEqualTo(1);
    }
  }

  private static double margin(Ensemble model, float value) {
    double[] margins = new double[1];
    new ForestWalk(model).margins(model, MemorySegment.ofArray(new float[] {value}), 0, 1, margins);
    return margins[0];
  }

  @Test
  void outputsThatNoTreeAddsToAreFew() {
    assertThat(read(stump(1, 1024)).outputs()).isEqualTo(1024);
    assertThatThrownBy(() -> read(stump(1, 1025)))
        .hasMessageEndingWith("it has 1025 outputs, but only 1 trees");
  }

  @Test
  void anInstanceTakesMemoryForTheFeaturesThatNodesUse() {
    Ensemble model = read(stump(1 << 22, 0));
    ModelConfig config =
        new TreesSignature(TestModels.bare("m"), model).complete(TreesBackend.MAX_BATCH_SIZE);

    assertThat(allocated(() -> instances(config, model, 64))).isLessThan(64L * (256 << 10));
  }

  private static List<TreesInstance> instances(ModelConfig config, Ensemble model, int count) {
    List<TreesInstance> instances = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      instances.add(new TreesInstance(config, model, null));
    }
    return instances;
  }
}
