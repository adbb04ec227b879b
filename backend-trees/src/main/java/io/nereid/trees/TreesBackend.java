package io.nereid.trees;

import io.nereid.config.ModelConfig;
import io.nereid.spi.Backend;
import io.nereid.spi.Model;
import io.nereid.spi.ModelFiles;
import io.nereid.tensor.DataType;
import io.nereid.trees.forest.Ensemble;
import io.nereid.trees.forest.PathWeights;
import java.util.ArrayList;
import java.util.List;

/**
 * The backend {@code trees}.
 *
 * @param defaultMaxBatchSize of models whose configuration has neither inputs nor outputs; 0 if
 *     they are not to batch
 */
record TreesBackend(int defaultMaxBatchSize) implements Backend {
  /** Rows are small, and many of them cost little more than one. */
  static final int MAX_BATCH_SIZE = 1024;

  private static final System.Logger LOG = System.getLogger(TreesBackend.class.getName());

  @Override
  public ModelConfig complete(ModelFiles files, ModelConfig config) {
    Ensemble model = TreesFile.of(files, config).read();
    ModelConfig completed = new TreesSignature(config, model).complete(defaultMaxBatchSize);
    new TreesSignature(completed, model).check();
    return IterationRange.shown(FeatureNames.shown(completed, model), model);
  }

  @Override
  public List<String> warnings(ModelConfig config) {
    List<String> warnings = new ArrayList<>(ParameterNames.warnings(config));
    var optimization = config.optimization();
    if (!optimization.cpuAccelerators().isEmpty() || !optimization.gpuAccelerators().isEmpty()) {
      warnings.add("model '%s': trees have no accelerators".formatted(config.name()));
    }
    if (!config.batches()
        && !FeatureColumns.areInputs(config)
        && config.inputs().stream().anyMatch(input -> TreesSignature.modelDims(input).rank() < 2)) {
      warnings.add(
          "model '%s': a request has one row, as the configuration states no max_batch_size; for more: max_batch_size: %d"
              .formatted(config.name(), MAX_BATCH_SIZE));
    }
    return warnings;
  }

  @Override
  public boolean runsCodeOf(ModelConfig config) {
    return false;
  }

  @Override
  public Model load(ModelFiles files, ModelConfig config) {
    TreesFile file = TreesFile.of(files, config);
    Ensemble model = file.read();
    var signature = new TreesSignature(config, model);
    signature.check();
    PathWeights paths = signature.hasContributions() ? file.paths(model) : null;
    LOG.log(
        System.Logger.Level.INFO,
        "model ''{0}'': {1}, {2} trees, {3} features",
        config.name(),
        model.source(),
        Integer.toString(model.trees().count()),
        Integer.toString(model.features().count()));
    if (model.comparesDoubles() && model.rowType() == DataType.FP32) {
      LOG.log(
          System.Logger.Level.INFO,
          "model ''{0}'': its library compares doubles; with an input of TYPE_FP32 the answers are the"
              + " library''s for rows of floats, with TYPE_FP64 for all",
          config.name());
    }
    IterationRange.described(model)
        .ifPresent(
            uses -> LOG.log(System.Logger.Level.INFO, "model ''{0}'': {1}", config.name(), uses));
    return new TreesModel(config, model.withoutCovers(), paths);
  }

  @Override
  public void close() {
    // Models hold all there is.
  }
}
