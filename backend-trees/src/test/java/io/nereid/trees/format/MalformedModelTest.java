package io.nereid.trees.format;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.MalformedModelException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Files that are no model, with the sentence that each gets. */
class MalformedModelTest {
  /** One stump. */
  private static final String JSON =
      """
      {"learner": {"gradient_booster": {"model": {"trees": [{"base_weights": [0, 1, 2],
      "categories": [], "categories_nodes": [], "categories_segments": [], "categories_sizes": [],
      "default_left": [0, 0, 0], "left_children": [1, -1, -1], "right_children": [2, -1, -1],
      "split_conditions": [5E-1, 1E0, 2E0], "split_indices": [0, 0, 0], "split_type": [0, 0, 0],
      "tree_param": {"num_nodes": "3", "size_leaf_vector": "1"}}], "tree_info": [0]},
      "name": "gbtree"}, "learner_model_param": {"base_score": "5E-1", "num_class": "0",
      "num_feature": "2", "num_target": "1"}, "objective": {"name": "reg:squarederror"}},
      "version": [3, 2, 0]}
      """;

  private static final String TEXT =
      """
      tree
      version=v4
      num_tree_per_iteration=1
      max_feature_idx=1
      objective=regression
      feature_names=a b
      tree_sizes=1

      Tree=0
      num_leaves=2
      num_cat=1
      split_feature=0
      threshold=0
      decision_type=1
      left_child=-1
      right_child=-2
      leaf_value=1 2
      cat_boundaries=0 1
      cat_threshold=5
      is_linear=0

      end of trees
      """;

  private static Ensemble read(String text) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    return TreeFileFormat.read(
        new ByteArrayInputStream(bytes), bytes.length, TreeFileFormat.of(bytes), DataType.FP32);
  }

  private static void assertRefused(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(MalformedModelException.class)
        .hasMessage(message);
  }

  @Test
  void theExamplesAreModels() throws IOException {
    assertThat(read(JSON).source()).isEqualTo("XGBoost 3.2.0");
    assertThat(read(TEXT).source()).isEqualTo("LightGBM v4");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      textBlock =
          """
          "right_children": [2,|"right_children": [0,|node 0 of tree 0 is the child of two nodes, or of itself
          "right_children": [2,|"right_children": [3,|node 0 of tree 0 has the child 3, but there are 3 nodes
          "split_indices": [0,|"split_indices": [2,|a node uses feature 2, but there are 2 features
          "default_left": [0,|"default_left": [|tree 0 has 3 left_children, but 2 default_left
          [5E-1, 1E0|[NaN, 1E0|tree 0 splits at NaN in node 0
          "tree_info": [0]|"tree_info": [1]|it has 1 trees, which is no multiple of the 2 that an iteration adds
          "tree_info": [0]|"tree_info": []|it has 1 trees, but a tree_info of 0
          reg:squarederror|reg:mine|its objective 'reg:mine' is unknown
          "name": "gbtree"|"name": "gblinear"|its booster is 'gblinear', which has no trees
          "num_feature": "2"|"num_feature": "0"|it has 0 features, which must be from 1 to 4194304
          "num_feature": "2"|"num_feature": "x"|its num_feature must be an integer of at least 0, got 'x'
          "num_class": "0"|"num_class": "2000000000"|it has 2000000000 outputs, the most are 65536
          "5E-1"|"[1,2]"|its base_score has 2 values, but it has 1 outputs
          "5E-1"|"half"|its base_score 'half' is no number
          "size_leaf_vector": "1"|"size_leaf_vector": "9"|tree 0 has 3 nodes of 9 values, but 3 values
          "version": [3, 2, 0]}|"version": [3, 2, 0]} x|byte 623 is 'x' behind the end of the document
          """)
  void anXgboostModelGetsASentence(String part, String other, String message) {
    assertThat(JSON).contains(part);
    assertRefused(JSON.replace(part, other), message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          left_child=-1|left_child=0|node 0 of tree 0 is the child of two nodes, or of itself
          left_child=-1|left_child=-9|node 0 of tree 0 has the child 9, but there are 3 nodes
          leaf_value=1 2|leaf_value=1|tree 0 has num_leaves=2, but 1 leaf_value
          leaf_value=1 2|leaf_value=1 b|tree 0 has a leaf_value that is no number
          split_feature=0|split_feature=2|a node uses feature 2, but there are 2 features
          threshold=0|threshold=1|tree 0 has 1 sets of categories, but node 0 uses 1.0
          cat_boundaries=0 1|cat_boundaries=0 2|tree 0 has cat_boundaries that do not ascend to its 1 cat_threshold
          decision_type=1|decision_type=12|tree 0 has the unknown decision_type 12 in node 0
          is_linear=0|is_linear=1|tree 0 has no leaf_const
          max_feature_idx=1|max_feature_idx=-1|it has 0 features, which must be from 1 to 4194304
          feature_names=a b|feature_names=a|it names 1 features, but has 2
          tree_sizes=1|tree_sizes=1 1|it ends early, with 1 trees of 2
          num_cat=1|num_dog=1|tree 0 has no num_cat
          objective=regression|objective=mine|its objective 'mine' is unknown
          num_tree_per_iteration=1|num_tree_per_iteration=0|its num_tree_per_iteration is 0, which must be from 1 to 65536
          """)
  void aLightGbmModelGetsASentence(String part, String other, String message) {
    assertThat(TEXT).contains(part);
    assertRefused(TEXT.replace(part, other), message);
  }

  /** What LightGBM 2.0 and 2.1 do not write, and its loader does not ask for. */
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          end of trees|feature importances:
          tree_sizes=1|num_class=1
          num_tree_per_iteration=1|num_class=1
          objective=regression|objective=xentropy
          objective=regression|objective=xentlambda
          """)
  void aLightGbmModelNeedsWhatItsLoaderNeeds(String part, String other) throws IOException {
    assertThat(TEXT).contains(part);
    assertThat(read(TEXT.replace(part, other)).trees().count()).isEqualTo(1);
  }

  @Test
  void whatIsBehindTheStatedTreesOfALightGbmModelIsNotRead() throws IOException {
    assertThat(read(TEXT.replace("end of trees", "Tree=1\nnum_leaves=9")).trees().count())
        .isEqualTo(1);
  }

  @Test
  void aLightGbmModelThatIsCutOffGetsASentence() {
    String old = TEXT.replace("tree_sizes=1\n", "");
    assertRefused(old.substring(0, old.indexOf(" 2\ncat_bound")), "it ends early, in tree 0");
    assertRefused(old.substring(0, old.indexOf("Tree=0")), "it ends early, before its first tree");
    assertRefused(TEXT.substring(0, TEXT.indexOf("Tree=0")), "it ends early, with 0 trees of 1");
    assertRefused(
        TEXT + "pandas_categorical:[[\"ol",
        "in its pandas_categorical it ends early, after 5 bytes");
  }

  @Test
  void anEscapeOfTwoHalvesIsOneCharacter() throws IOException {
    String text =
        TEXT.replace("tree_sizes=1", "tree_sizes=1\nfeature_infos=0:1 none")
            + "pandas_categorical:";

    assertThat(
            read(text + "[[\"\\ud83d\\ude00 in K\\u00f6ln\"]]")
                .features()
                .categories(0)
                .orElseThrow()
                .texts())
        .containsExactly("\ud83d\ude00 in Köln");
    assertRefused(
        text + "[[\"\\ud83d\"]]", "in its pandas_categorical byte 10 follows half of a character");
    assertRefused(
        text + "[[\"\\ud83d\\u0041\"]]",
        "in its pandas_categorical byte 15 follows half of a character");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "xgb_logistic_2/model.json",
        "xgb_absolute_1/model.ubj",
        "xgb_doubles_3/model.ubj",
        "skl_hist_1/model.tl"
      })
  void aModelThatIsCutOffAnywhereEndsEarly(String model) throws IOException {
    byte[] whole;
    try (var in = MalformedModelTest.class.getResourceAsStream("/models/" + model)) {
      whole = in.readAllBytes();
    }
    for (int size = 16; size < whole.length; size++) {
      byte[] cut = Arrays.copyOf(whole, size);
      assertThatThrownBy(() ->
              TreeFileFormat.read(
                  new ByteArrayInputStream(cut), cut.length, TreeFileFormat.of(cut), DataType.FP32))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageStartingWith("it ends early, after %d bytes", size);
    }
  }

  @Test
  void otherFilesGetTheWayToAModel() {
    assertRefused("", "the file is empty");
    assertRefused(
        "[{\"nodeid\": 0}]", "it is a dump of XGBoost; save the model by Booster.save_model");
    String catboost =
        "it is a model of CatBoost; save it by save_model(\"model.onnx\", format=\"onnx\") and serve it"
            + " with the backend onnxruntime";
    assertRefused("CBM1\u0000\u0000 and more", catboost);
    assertRefused("{\"features_info\": {}, \"oblivious_trees\": []}", catboost);
    assertRefused(
        "binf\0\0\0\0", "it is in XGBoost's old binary format; save it again as .json or .ubj");
    assertRefused(
        "{\"name\": \"tree\", \"tree_info\": []}",
        "it is a dump of LightGBM; save the model by Booster.save_model");
    assertRefused("{}", "it has no 'trees' of XGBoost");
    assertThatThrownBy(() -> TreeFileFormat.of(new byte[] {(byte) 0x80, 5, (byte) 0x95}))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageStartingWith("it is a pickle of Python; save a model of XGBoost or LightGBM");
  }

  @Test
  void whatIsQuotedIsOneShortLine() {
    assertThatThrownBy(() -> read(JSON.replace("reg:squarederror", "a\\nb" + "c".repeat(1000))))
        .hasMessage("its objective 'a?b" + "c".repeat(282) + "...");
  }

  @Test
  void nestingIsBounded() {
    assertRefused(
        "{\"x\": " + "[".repeat(1_000_000), "byte 70 is in more than 64 objects and arrays");
  }
}
