package io.nereid.tensorrt.build;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import io.nereid.tensorrt.build.BuildSettings.Precision;
import io.nereid.tensorrt.build.PlanKey.Toolchain;
import io.nereid.tensorrt.build.onnx.OnnxFileWriter;
import io.nereid.tensorrt.build.profile.Profile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanKeyTest {
  private static final Gpu GPU = new Gpu(0, "H100", "9.0");
  private static final Toolchain TOOLCHAIN = new Toolchain("10.15.1", 29, 100, "13.0");
  private static final BuildSettings SETTINGS =
      new BuildSettings("", Set.of(), false, true, 0, OptionalInt.empty(), true, List.of());
  private static final Profile PROFILE = profile(false, 1, 2, 3);

  @TempDir Path directory;
  private Path model;

  @BeforeEach
  void writeModel() throws IOException {
    model = writer().write(directory.resolve("m.onnx"));
    Files.writeString(directory.resolve("w.bin"), "weights");
  }

  private static OnnxFileWriter writer() {
    return new OnnxFileWriter().input("x", -1).externalInitializer("w", "w.bin");
  }

  @Test
  void equalIngredientsHaveEqualKeys() throws IOException {
    PlanKey again = key();

    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("fa-IR-u-nu-arabext")); // with other digits
    try {
      assertThat(again).isEqualTo(key());
    } finally {
      Locale.setDefault(before);
    }
    assertThat(again.fileName()).matches("[0-9a-f]{32}\\.plan");
    assertThat(again.hash()).hasSize(32);
  }

  @Test
  void everyIngredientChangesTheKey() throws IOException {
    ModelContent content = ModelContent.read(model);
    List<Profile> profiles = List.of(PROFILE);
    List<PlanKey> keys = new ArrayList<>();
    keys.add(key());
    keys.add(PlanKey.of(content, List.of(), SETTINGS, GPU, TOOLCHAIN));
    keys.add(PlanKey.of(content, List.of(PROFILE, PROFILE), SETTINGS, GPU, TOOLCHAIN));
    for (Profile other :
        List.of(
            profile(true, 1, 2, 3),
            profile(false, 0, 2, 3),
            profile(false, 1, 1, 3),
            profile(false, 1, 2, 4))) {
      keys.add(PlanKey.of(content, List.of(other), SETTINGS, GPU, TOOLCHAIN));
    }
    for (Gpu other : List.of(new Gpu(0, "H200", "9.0"), new Gpu(0, "H100", "8.0"))) {
      keys.add(PlanKey.of(content, profiles, SETTINGS, other, TOOLCHAIN));
    }
    for (Toolchain other :
        List.of(
            new Toolchain("10.15.2", 29, 100, "13.0"),
            new Toolchain("10.15.1", 30, 100, "13.0"),
            new Toolchain("10.15.1", 29, 101, "13.0"),
            new Toolchain("10.15.1", 29, 100, "12.9"))) {
      keys.add(PlanKey.of(content, profiles, SETTINGS, GPU, other));
    }
    for (BuildSettings other :
        List.of(
            new BuildSettings(
                "", Set.of(Precision.FP16), false, true, 0, OptionalInt.empty(), true, List.of()),
            new BuildSettings(
                "", Set.of(Precision.BF16), false, true, 0, OptionalInt.empty(), true, List.of()),
            new BuildSettings("", Set.of(), true, true, 0, OptionalInt.empty(), true, List.of()),
            new BuildSettings("", Set.of(), false, false, 0, OptionalInt.empty(), true, List.of()),
            new BuildSettings("", Set.of(), false, true, 1, OptionalInt.empty(), true, List.of()),
            new BuildSettings("", Set.of(), false, true, 0, OptionalInt.of(3), true, List.of()))) {
      keys.add(PlanKey.of(content, profiles, other, GPU, TOOLCHAIN));
    }
    Files.writeString(directory.resolve("w.bin"), "other weights");
    keys.add(key());
    writer().initializer("v", new byte[] {1}).write(model);
    keys.add(key());

    assertThat(keys).doesNotHaveDuplicates();
    assertThat(keys).extracting(PlanKey::fileName).doesNotHaveDuplicates();
  }

  @Test
  void theNumberOfTheDeviceAndTheTimingCacheDoNotChangeTheKey() throws IOException {
    ModelContent content = ModelContent.read(model);
    var withoutTimingCache =
        new BuildSettings("", Set.of(), false, true, 0, OptionalInt.empty(), false, List.of());

    assertThat(
            PlanKey.of(
                content,
                List.of(PROFILE),
                withoutTimingCache,
                new Gpu(3, "H100", "9.0"),
                TOOLCHAIN))
        .isEqualTo(key());
  }

  @Test
  void theNameOfTheModelFileDoesNotChangeTheKey() throws IOException {
    Path renamed = Files.move(model, directory.resolve("renamed.onnx"));

    PlanKey key =
        PlanKey.of(ModelContent.read(renamed), List.of(PROFILE), SETTINGS, GPU, TOOLCHAIN);

    Files.move(renamed, model);
    assertThat(key).isEqualTo(key());
  }

  @Test
  void aMissingFileOfWeightsIsNamed() throws IOException {
    Files.delete(directory.resolve("w.bin"));

    assertThatIOException()
        .isThrownBy(() -> ModelContent.read(model))
        .withMessage("there is no file '%s' with its external weights", directory.resolve("w.bin"));
  }

  @Test
  void weightsOutsideTheDirectoryAreRefused() {
    for (String name : List.of("../w.bin", "/etc/passwd", "a/../../w.bin")) {
      new OnnxFileWriter().externalInitializer("w", name).write(model);

      assertThatIOException()
          .isThrownBy(() -> ModelContent.read(model))
          .withMessage("its external weights '%s' are in another directory", name);
    }
  }

  private PlanKey key() throws IOException {
    return PlanKey.of(ModelContent.read(model), List.of(PROFILE), SETTINGS, GPU, TOOLCHAIN);
  }

  private static Profile profile(boolean ofValues, long min, long opt, long max) {
    return new Profile(
        List.of(new Profile.Range("x", ofValues, List.of(min), List.of(opt), List.of(max))));
  }
}
