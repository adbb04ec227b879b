package io.nereid.engine.model.lint;

import io.nereid.engine.execution.warmup.Warmup;
import io.nereid.engine.file.FileTree;
import io.nereid.engine.memory.ArenaAllocator;
import io.nereid.engine.memory.BufferPool;
import io.nereid.engine.memory.SlabPool;
import io.nereid.engine.model.LabelFile;
import io.nereid.engine.model.config.ModelDirectory;
import io.nereid.engine.model.config.conversion.ModelConfigRecords;
import io.nereid.engine.model.config.text.FieldPath;
import io.nereid.engine.model.config.validation.ModelFormat;
import io.nereid.engine.model.loading.InitialStates;
import io.nereid.error.IoReason;
import io.nereid.protocol.config.ModelConfig;
import io.nereid.protocol.config.ModelVersionPolicy.PolicyChoiceCase;
import io.nereid.request.ModelKey;
import io.nereid.spi.ModelFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The files of a model: those that its configuration names, and those that are not used. */
record FileLint(ModelDirectory directory, ModelConfig config, ModelFindings findings) {
  private static final long MAX_WARMUP_BYTES = 1L << 30;

  /** With this parameter, the backend {@code tensorrt} builds the file from another one. */
  private static final String BUILT_FROM_ONNX = "tensorrt_build_from_onnx";

  /**
   * Warns of directories that are no versions, of files that were meant to be config.pbtxt, and of
   * links to nothing.
   */
  void checkDirectory() {
    List<Long> versions = directory.versions();
    boolean configured = Files.exists(directory.path().resolve("config.pbtxt"));
    for (Path entry : entries(directory.path())) {
      String name = entry.getFileName().toString();
      if (name.startsWith(".")) {
        continue;
      }
      checkLink(entry);
      if (Files.isDirectory(entry)) {
        if (versions.stream().map(String::valueOf).anyMatch(name::equals)) {
          entries(entry).forEach(this::checkLink);
        } else if (!directory.isBare() && !ModelDirectory.OTHER_DIRECTORIES.contains(name)) {
          findings.warning(
              entry,
              "ignored: a version is a decimal number without leading zeros, got '" + name + "'");
        }
      } else if (!configured && name.startsWith("config.")) {
        findings.warning(entry, "ignored: the configuration is read from config.pbtxt");
      }
    }
  }

  private void checkLink(Path entry) {
    brokenLink(entry).ifPresent(message -> findings.warning(entry, message));
  }

  /** What is said of a link whose target does not exist, and that is not hidden; else empty. */
  static Optional<String> brokenLink(Path entry) {
    try {
      return Files.notExists(entry) && !entry.getFileName().toString().startsWith(".")
          ? Optional.of(
              "ignored: it is a link to '%s', which does not exist: correct or remove it"
                  .formatted(Files.readSymbolicLink(entry)))
          : Optional.empty();
    } catch (IOException _) { // it was removed
      return Optional.empty();
    }
  }

  private List<Path> entries(Path listed) {
    try {
      return FileTree.list(listed);
    } catch (IOException unreadable) {
      findings.error(listed, "cannot be listed: " + IoReason.of(unreadable));
      return List.of();
    }
  }

  /** Checks that the versions that load have a model file, if the backend is known to need one. */
  void checkVersions(List<Long> versions) {
    var policy = config.getVersionPolicy();
    if (policy.getPolicyChoiceCase() == PolicyChoiceCase.SPECIFIC) {
      for (int i = 0; i < policy.getSpecific().getVersionsCount(); i++) {
        if (!versions.contains(policy.getSpecific().getVersions(i))) {
          findings.warning(
              FieldPath.of("version_policy").field("specific").element("versions", i),
              "version %d does not exist".formatted(policy.getSpecific().getVersions(i)));
        }
      }
    }
    String filename = config.getDefaultModelFilename();
    if (!ModelFormat.needsFile(config.getBackend())
        || filename.isEmpty()
        || config.containsParameters(BUILT_FROM_ONNX)) {
      return;
    }
    for (long version : versions) {
      Path versionDirectory = directory.files(version, ModelFiles.Trust.CHECK).versionDirectory();
      Path file = versionDirectory.resolve(filename);
      if (!Files.exists(file)) {
        findings.error(
            findings.anySet(
                FieldPath.of("default_model_filename"),
                FieldPath.of("backend"),
                FieldPath.of("platform")),
            "unable to find '%s' for model '%s'".formatted(file, directory.name()));
      }
    }
  }

  /** Reads labels, initial states and warm-up data as the server would. */
  void checkNamedFiles() {
    for (int i = 0; i < config.getOutputCount(); i++) {
      ModelConfig one = config.toBuilder().clearOutput().addOutput(config.getOutput(i)).build();
      findings.attempt(
          FieldPath.of("output", i).field("label_filename"),
          () -> LabelFile.readAll(directory, one));
    }
    for (int i = 0; i < config.getSequenceBatching().getStateCount(); i++) {
      var one = config.toBuilder();
      one.getSequenceBatchingBuilder()
          .clearState()
          .addState(config.getSequenceBatching().getState(i));
      findings.attempt(
          FieldPath.of("sequence_batching").element("state", i).element("initial_state", 0),
          () -> InitialStates.read(directory, ModelConfigRecords.record(one.build())));
    }
    for (int i = 0; i < config.getModelWarmupCount(); i++) {
      var sample = config.getModelWarmup(i);
      var warmup =
          new Warmup(
              new ModelKey(directory.name(), 1),
              ModelConfigRecords.record(config),
              List.of(sample),
              directory::fileInside);
      findings.attempt(FieldPath.of("model_warmup", i), () -> prepare(warmup));
    }
  }

  private static void prepare(Warmup warmup) {
    try (BufferPool pool = new SlabPool(new ArenaAllocator(), MAX_WARMUP_BYTES);
        var _ = warmup.prepare(pool)) {
      // that it can be prepared is all
    }
  }
}
