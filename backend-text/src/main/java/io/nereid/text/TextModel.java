package io.nereid.text;

import io.nereid.config.InstanceSettings;
import io.nereid.config.ModelConfig;
import io.nereid.spi.Model;
import io.nereid.spi.ModelInstance;
import io.nereid.spi.OwnCalls;
import io.nereid.text.folder.TextSettings;
import io.nereid.text.tokenizer.TextTokenizer;
import io.nereid.text.vector.DenseLayer;
import java.util.List;

/**
 * A loaded text model, which its instances share.
 *
 * @param layers behind the pooling, in order
 */
record TextModel(
    ModelConfig config,
    TextSettings settings,
    TextTokenizer tokenizer,
    Graph graph,
    List<DenseLayer> layers,
    OwnCalls calls,
    TextMetrics metrics)
    implements Model {
  @Override
  public ModelInstance open(InstanceSettings instance) {
    return new TextInstance(this, instance);
  }

  @Override
  public boolean fillsOutputs() {
    return true;
  }

  /** A request may ask for a part of the vector. */
  @Override
  public boolean isShapeHint(String output) {
    return output.equals(TextTensors.EMBEDDING);
  }

  @Override
  public void close() {
    tokenizer.close();
  }
}
