package io.nereid.server.frontend;

import com.google.protobuf.Message;
import io.nereid.engine.admission.RequestAdmission;
import io.nereid.engine.memory.region.RegionStatus;
import io.nereid.engine.memory.region.RegionStatus.CudaMemory;
import io.nereid.engine.memory.region.RegionStatus.SystemMemory;
import io.nereid.engine.model.LoadedModel;
import io.nereid.engine.model.control.ModelIndexEntry;
import io.nereid.protocol.inference.CudaSharedMemoryStatusResponse;
import io.nereid.protocol.inference.ModelMetadataResponse;
import io.nereid.protocol.inference.RepositoryIndexResponse;
import io.nereid.protocol.inference.ServerMetadataResponse;
import io.nereid.protocol.inference.SystemSharedMemoryStatusResponse;
import io.nereid.tensor.TensorSpec;
import java.util.OptionalLong;

/** What the server says of itself, its models and its regions, as messages: HTTP has their JSON. */
public final class StatusMessages {
  private StatusMessages() {}

  public static ServerMetadataResponse server(ServerIdentity identity) {
    return ServerMetadataResponse.newBuilder()
        .setName(identity.name())
        .setVersion(identity.version())
        .addAllExtensions(identity.extensions())
        .build();
  }

  /**
   * The metadata of a model.
   *
   * @throws io.nereid.error.InferenceException if it is not ready
   */
  public static ModelMetadataResponse model(
      RequestAdmission engine, String name, OptionalLong version) {
    LoadedModel model = engine.model(name, version);
    var response =
        ModelMetadataResponse.newBuilder()
            .setName(model.key().name())
            .setPlatform(model.platform());
    for (long ready : engine.readyVersions(name, version)) {
      response.addVersions(Long.toString(ready));
    }
    model.config().inputSpecs().forEach(spec -> response.addInputs(tensor(spec)));
    model.config().outputSpecs().forEach(spec -> response.addOutputs(tensor(spec)));
    return response.build();
  }

  private static ModelMetadataResponse.TensorMetadata tensor(TensorSpec spec) {
    var tensor =
        ModelMetadataResponse.TensorMetadata.newBuilder()
            .setName(spec.name())
            .setDatatype(spec.dataType().name());
    for (long dim : spec.shape().dims()) {
      tensor.addShape(dim);
    }
    return tensor.build();
  }

  /** A row of the index of repositories. */
  public static RepositoryIndexResponse.ModelIndex row(ModelIndexEntry entry) {
    var row = RepositoryIndexResponse.ModelIndex.newBuilder().setName(entry.name());
    entry.version().ifPresent(version -> row.setVersion(Long.toString(version)));
    entry.state().ifPresent(state -> row.setState(state.name()));
    return row.setReason(entry.reason()).build();
  }

  /** The message of a region of either kind. */
  public static Message region(RegionStatus region) {
    return switch (region) {
      case SystemMemory memory -> system(memory);
      case CudaMemory memory -> cuda(memory);
    };
  }

  public static SystemSharedMemoryStatusResponse.RegionStatus system(SystemMemory memory) {
    return SystemSharedMemoryStatusResponse.RegionStatus.newBuilder()
        .setName(memory.name())
        .setKey(memory.key())
        .setOffset(memory.offset())
        .setByteSize(memory.byteSize())
        .build();
  }

  public static CudaSharedMemoryStatusResponse.RegionStatus cuda(CudaMemory memory) {
    return CudaSharedMemoryStatusResponse.RegionStatus.newBuilder()
        .setName(memory.name())
        .setDeviceId(memory.deviceId())
        .setByteSize(memory.byteSize())
        .build();
  }
}
