package io.nereid.server.grpc.control;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.code_intelligence.jazzer.junit.FuzzTest;
import com.google.protobuf.InvalidProtocolBufferException;
import io.nereid.engine.testing.FuzzedMemory;
import io.nereid.error.InferenceException;
import io.nereid.protocol.inference.RepositoryModelLoadRequest;
import io.nereid.protocol.inference.RepositoryModelUnloadRequest;
import io.nereid.server.grpc.call.GrpcRequests;
import java.util.OptionalLong;

/** Any version of a model, and any message that loads or unloads one. */
class GrpcRequestsFuzzTest {
  @FuzzTest
  void haveAVersionOrAreRejected(byte[] input) {
    String text = new String(input, UTF_8);
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            OptionalLong version = GrpcRequests.version(text);
            assertThat(version.isEmpty()).isEqualTo(text.isEmpty());
            version.ifPresent(number -> assertThat(number).isNotNegative());
          } catch (InferenceException rejected) {
            assertRejected(rejected);
          }
        });
  }

  @FuzzTest
  void loadModelsOrAreRejected(byte[] input) {
    FuzzedMemory.run(
        input,
        _ -> {
          try {
            var request = RepositoryModelLoadRequest.parseFrom(input);
            var parameters = RepositoryCalls.loadParameters(request.getParametersMap());
            assertThat(parameters.files().size() + (parameters.config().isPresent() ? 1 : 0))
                .isEqualTo(request.getParametersCount());
          } catch (InferenceException rejected) {
            assertRejected(rejected);
          } catch (InvalidProtocolBufferException malformed) {
            assertThat(malformed.getMessage()).isNotEmpty(); // gRPC's answer
          }
          try {
            var request = RepositoryModelUnloadRequest.parseFrom(input);
            assertThat(RepositoryCalls.unloadDependents(request.getParametersMap()))
                .isIn(true, false);
          } catch (InferenceException rejected) {
            assertRejected(rejected);
          } catch (InvalidProtocolBufferException malformed) {
            assertThat(malformed.getMessage()).isNotEmpty();
          }
        });
  }

  private static void assertRejected(InferenceException rejected) {
    assertThat(rejected.getMessage()).isNotEmpty();
    assertThat(rejected.getStackTrace()).as("a failure that clients cause").isEmpty();
  }
}
