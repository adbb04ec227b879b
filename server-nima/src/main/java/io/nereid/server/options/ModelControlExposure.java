package io.nereid.server.options;

import io.nereid.engine.model.control.ControlMode;
import io.nereid.server.frontend.Listener;
import io.nereid.server.security.ApiCategory;
import io.nereid.server.security.RestrictedApis;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Whether clients of other machines may load models without a key. */
public final class ModelControlExposure {
  private ModelControlExposure() {}

  /** The warning of it. */
  public static Optional<String> warning(ServerOptions options) {
    if (options.models().control().mode() != ControlMode.EXPLICIT) {
      return Optional.empty();
    }
    Listener grpc = options.grpc().listener();
    Listener http = options.http().listener();
    List<String> open = new ArrayList<>();
    if (options.grpc().isAllowed() && isOpen(options.restrictions().grpc(), grpc)) {
      open.add("gRPC at " + grpc.address());
    }
    if (options.http().isAllowed() && isOpen(options.restrictions().http(), http)) {
      open.add("HTTP at " + http.address());
    }
    return open.isEmpty()
        ? Optional.empty()
        : Optional.of(
            "--model-control-mode=explicit: each client that reaches %s may load and unload models; restrict the API model-repository, or listen at a loopback address"
                .formatted(String.join(" and ", open)));
  }

  private static boolean isOpen(RestrictedApis restricted, Listener listener) {
    return !restricted.covers(ApiCategory.MODEL_REPOSITORY) && !listener.isLoopback();
  }
}
