package io.nereid.text.folder;

import java.util.List;
import java.util.Optional;

/**
 * What a text model does.
 *
 * @param width of an output: of the vector, 1 for a reranker, the number of labels
 * @param pooling empty if only the graph can say; of no task but embedding
 * @param normalizes whether vectors have the length 1
 * @param labels as many as {@code width}, of a classifier
 * @param independent whether each label has a score of its own, by the sigmoid function, and not
 *     all together 1
 * @param texts how texts become tokens
 */
public record TextSettings(
    Task task,
    int width,
    Optional<Pooling> pooling,
    boolean normalizes,
    List<String> labels,
    boolean independent,
    Texts texts) {
  public TextSettings {
    labels = List.copyOf(labels);
  }

  /**
   * How texts become tokens.
   *
   * @param maxTokens of a text or pair, special tokens included
   * @param truncates whether longer ones are cut, unless a request says otherwise
   */
  public record Texts(int maxTokens, boolean truncates, Prompts prompts) {}
}
