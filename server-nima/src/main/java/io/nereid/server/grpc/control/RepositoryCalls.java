package io.nereid.server.grpc.control;

import io.nereid.engine.memory.ClientKey;
import io.nereid.engine.model.control.LoadParameters;
import io.nereid.engine.model.control.ModelControl;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.ModelRepositoryParameter;
import io.nereid.protocol.inference.RepositoryIndexRequest;
import io.nereid.protocol.inference.RepositoryIndexResponse;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelLoadResponse;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadResponse;
import io.nereid.server.frontend.StatusMessages;
import io.nereid.server.grpc.call.LoggedCalls;
import java.nio.ByteBuffer;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The methods of Triton's model repository extension. All of them block: they read files, and
 * loading waits for the model.
 */
public record RepositoryCalls(ModelControl models) {
  private static final String FILE = "file:";

  RepositoryIndexResponse index(RepositoryIndexRequest request) {
    requireNoRepository(request.getRepositoryName());
    var response = RepositoryIndexResponse.newBuilder();
    models
        .index(request.getReady())
        .forEach(entry -> response.addModels(StatusMessages.row(entry)));
    return response.build();
  }

  RepositoryModelLoadResponse load(RepositoryModelLoadRequest request, ClientKey client) {
    LoggedCalls.model(request.getModelName(), "");
    requireNoRepository(request.getRepositoryName());
    models.load(request.getModelName(), loadParameters(request.getParametersMap()).of(client));
    return RepositoryModelLoadResponse.getDefaultInstance();
  }

  RepositoryModelUnloadResponse unload(RepositoryModelUnloadRequest request) {
    LoggedCalls.model(request.getModelName(), "");
    requireNoRepository(request.getRepositoryName());
    models.unload(request.getModelName(), unloadDependents(request.getParametersMap()));
    return RepositoryModelUnloadResponse.getDefaultInstance();
  }

  private static void requireNoRepository(String name) {
    if (!name.isEmpty()) {
      throw InferenceException.unsupported("'repository_name' specification is not supported");
    }
  }

  static LoadParameters loadParameters(Map<String, ModelRepositoryParameter> parameters) {
    Optional<String> config = Optional.empty();
    Map<String, ByteBuffer> files = new HashMap<>();
    for (var parameter : parameters.entrySet()) {
      String name = parameter.getKey();
      ModelRepositoryParameter value = parameter.getValue();
      if (name.equals("config")) {
        requireKind(value.hasStringParam(), name, "string_param");
        config = Optional.of(value.getStringParam());
      } else if (name.startsWith(FILE)) {
        requireKind(value.hasBytesParam(), name, "bytes_param");
        files.put(name.substring(FILE.length()), value.getBytesParam().asReadOnlyByteBuffer());
      } else {
        throw InferenceException.invalid("unrecognized load parameter '%s'.".formatted(name));
      }
    }
    return new LoadParameters(config, files);
  }

  private static void requireKind(boolean isExpected, String name, String expected) {
    if (!isExpected) {
      throw InferenceException.invalid(
          "invalid value type for load parameter '%s', expected %s.".formatted(name, expected));
    }
  }

  static boolean unloadDependents(Map<String, ModelRepositoryParameter> parameters) {
    ModelRepositoryParameter dependents = parameters.get("unload_dependents");
    if (dependents == null) {
      return false;
    }
    if (!dependents.hasBoolParam()) {
      throw InferenceException.invalid(
          "invalid value type for 'unload_dependents' parameter, expected bool_param.");
    }
    return dependents.getBoolParam();
  }
}
