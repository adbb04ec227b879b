package io.nereid.engine.model.config;

import io.nereid.engine.model.config.conversion.ModelConfigMerge;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelInstanceGroup;
import io.nereid.protocol.config.ModelParameter;

/** The configuration of a part of a model, which its backend states and no file has. */
public final class PartConfig {
  private static final ModelConfigReader READER = new ModelConfigReader(ConfigSettings.DEFAULT);

  private PartConfig() {}

  /**
   * What the backend states, with the instance groups and the optimization of the whole model.
   *
   * @param directory of the whole model, with the part's name
   * @throws io.nereid.error.InferenceException if it is no valid configuration
   */
  public static PolledConfig of(
      ModelDirectory directory, ModelConfig whole, io.nereid.config.ModelConfig part) {
    var message =
        ModelConfig.newBuilder()
            .setName(directory.name())
            .setBackend(part.backend())
            .setDefaultModelFilename(part.defaultModelFilename())
            .setOptimization(whole.getOptimization());
    for (ModelInstanceGroup group : whole.getInstanceGroupList()) {
      message.addInstanceGroup(group.toBuilder().clearName());
    }
    part.parameters()
        .forEach((key, value) ->
            message.putParameters(key, ModelParameter.newBuilder().setStringValue(value).build()));
    ModelConfig built = message.build();
    return READER.part(
        ModelConfigMerge.merge(built, ModelConfigRecords.record(built), part), directory);
  }
}
