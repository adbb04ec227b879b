package io.nereid.engine.model.config.conversion;

import static java.util.stream.Collectors.toMap;

import io.nereid.config.CudaSettings;
import io.nereid.config.CudaSettings.GraphSpec;
import io.nereid.config.CudaSettings.Size;
import io.nereid.config.OptimizationSettings;
import io.nereid.config.OptimizationSettings.Accelerator;
import io.nereid.config.OptimizationSettings.Priority;
import io.nereid.protocol.config.ModelOptimizationPolicy;
import io.nereid.protocol.config.ModelOptimizationPolicy.Cuda;
import io.nereid.protocol.config.ModelOptimizationPolicy.ExecutionAccelerators;
import io.nereid.tensor.Shape;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Conversion of {@code optimization} to the record that backends read. */
final class OptimizationRecords {
  private OptimizationRecords() {}

  /** Converts the normalised message, in which the use of page-locked memory is filled in. */
  static OptimizationSettings record(ModelOptimizationPolicy message) {
    var accelerators = message.getExecutionAccelerators();
    return new OptimizationSettings(
        message.getGraph().getLevel(),
        switch (message.getPriority()) {
          case PRIORITY_MAX -> Priority.MAX;
          case PRIORITY_MIN -> Priority.MIN;
          case PRIORITY_DEFAULT, UNRECOGNIZED -> Priority.DEFAULT;
        },
        accelerators(accelerators.getGpuExecutionAcceleratorList()),
        accelerators(accelerators.getCpuExecutionAcceleratorList()),
        cuda(message.getCuda()),
        message.getInputPinnedMemory().getEnable(),
        message.getOutputPinnedMemory().getEnable(),
        Integer.toUnsignedLong(message.getGatherKernelBufferThreshold()),
        message.getEagerBatching());
  }

  private static List<Accelerator> accelerators(List<ExecutionAccelerators.Accelerator> messages) {
    return messages.stream()
        .map(message -> new Accelerator(message.getName(), message.getParametersMap()))
        .toList();
  }

  private static CudaSettings cuda(Cuda message) {
    return new CudaSettings(
        message.getGraphs(),
        message.getBusyWaitEvents(),
        message.getGraphSpecList().stream().map(OptimizationRecords::graphSpec).toList(),
        message.getOutputCopyStream());
  }

  private static GraphSpec graphSpec(Cuda.GraphSpec message) {
    Optional<Size> lowerBound = Optional.empty();
    if (message.hasGraphLowerBound()) {
      var bound = message.getGraphLowerBound();
      lowerBound = Optional.of(new Size(bound.getBatchSize(), shapes(bound.getInputMap())));
    }
    return new GraphSpec(
        new Size(message.getBatchSize(), shapes(message.getInputMap())), lowerBound);
  }

  private static Map<String, Shape> shapes(Map<String, Cuda.GraphSpec.Shape> messages) {
    return messages.entrySet().stream()
        .collect(toMap(Map.Entry::getKey, input -> Shape.of(input.getValue().getDimList())));
  }
}
