package io.nereid.tck.repository;

import static org.assertj.core.api.Assertions.assertThat;

import io.nereid.tck.ModelControlMode;
import io.nereid.tck.ServerFactory;
import io.nereid.tck.ServerUnderTest;
import io.nereid.tck.support.Launched;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each defect of a plain server fails the rules that state the opposite. */
class BrokenModelControlTest {
  private static final ScopedValue<Defect> DEFECT = ScopedValue.newInstance();

  /** Starts plain servers. */
  interface Plain extends ServerFactory {
    @Override
    default ServerUnderTest startServer(Path modelRepository) throws IOException {
      return PlainServer.start(List.of(modelRepository), DEFECT.get());
    }

    @Override
    default Optional<ServerUnderTest> startServer(
        ModelControlMode mode, List<Path> modelRepositories, List<String> startupModels)
        throws IOException {
      return Optional.of(PlainServer.start(modelRepositories, DEFECT.get()));
    }
  }

  static final class Index extends IndexVerification implements Plain {}

  static final class Load extends LoadVerification implements Plain {}

  static final class LoadParameter extends LoadParameterVerification implements Plain {}

  static final class Unload extends UnloadVerification implements Plain {}

  private static Launched run(Class<?> verification, Defect defect) {
    return ScopedValue.where(DEFECT, defect).call(() -> Launched.run(verification));
  }

  @ParameterizedTest
  @ValueSource(classes = {Index.class, Load.class, LoadParameter.class, Unload.class})
  void passesAServerWithoutDefect(Class<?> verification) {
    var launched = run(verification, Defect.NONE);

    assertThat(launched.failures()).isEmpty();
    assertThat(launched.passed()).isNotEmpty();
  }

  /** A defect fails exactly these tests of a verification. */
  private static void assertCatches(Class<?> verification, Defect defect, String tests) {
    assertThat(Set.copyOf(run(verification, defect).failed()))
        .containsExactlyInAnyOrder(tests.split(" "));
  }

  @ParameterizedTest
  @CsvSource({
    "HIDES_MODELS_THAT_ARE_NOT_LOADED,showsOnlyTheNameOfAModelThatWasNeverLoaded",
    "SORTS_VERSIONS_AS_TEXT,showsVersionsThatAreReadyInAscendingOrder",
    "HIDES_REASONS_OF_FAILURES,showsWhyAVersionFailedToLoad",
    "IGNORES_READY,showsThatAVersionIsUnloaded" + " showsWhyAVersionFailedToLoad",
    "LOADS_ONE_OF_TWO_MODELS_OF_A_NAME,showsThatAModelIsInTwoRepositories",
    "LISTS_MODELS_WITHOUT_A_FOLDER,showsNoRowOfAModelWhoseFolderIsGone"
  })
  void catchesDefectsOfTheIndex(Defect defect, String tests) {
    assertCatches(Index.class, defect, tests);
  }

  @ParameterizedTest
  @CsvSource({
    "IGNORES_READY,servesANewVersionInPlaceOfTheOldOne",
    "ACCEPTS_ANY_NAME,rejectsANameOfBlanks"
        + " rejectsANameThatLeavesTheRepository"
        + " rejectsAnEncodedNameThatLeavesTheRepository",
    "RESPONDS_WITHOUT_END_OF_LINE,loadsAModelThatFailedBeforeAndIsCorrected"
        + " respondsWithTheReasonOfAModelThatHasNoVersionToLoad"
        + " respondsWithTheReasonOfAVersionThatDoesNotLoad"
        + " respondsWithTheReasonsOfAllVersionsThatDoNotLoad"
        + " servesTheOldVersionOnWhenANewOneFails"
        + " servesTheOldVersionsOnWhenAReloadFails",
    "REPEATS_NO_FAILED_LOAD,loadsAModelThatFailedBeforeAndIsCorrected"
        + " respondsWithTheReasonOfAVersionThatDoesNotLoad",
    "RELOADS_WHAT_HAS_NOT_CHANGED,leavesAModelThatHasNotChangedAsItIs",
    "RELOADS_NOTHING,changesTheNumberOfInstancesWithoutLoadingAgain"
        + " loadsAModelAgainWhoseFilesHaveChanged"
        + " servesANewVersionInPlaceOfTheOldOne"
        + " servesTheOldVersionOnWhenANewOneFails"
        + " servesTheOldVersionsOnWhenAReloadFails",
    "RELOADS_FOR_INSTANCES,changesTheNumberOfInstancesWithoutLoadingAgain",
    "UNLOADS_BEFORE_A_RELOAD,servesTheOldVersionOnWhenANewOneFails"
        + " servesTheOldVersionsOnWhenAReloadFails",
    "KEEPS_OLD_VERSIONS,servesANewVersionInPlaceOfTheOldOne"
  })
  void catchesDefectsOfLoads(Defect defect, String tests) {
    assertCatches(Load.class, defect, tests);
  }

  @ParameterizedTest
  @CsvSource({
    "RESPONDS_WITHOUT_END_OF_LINE,servesTheOldVersionOnWhenALoadWithParametersFails",
    "RELOADS_NOTHING,keepsTheConfigurationOfARequestUntilTheRepositoryChanges"
        + " loadsAModelAgainForEachConfigurationOfARequest"
        + " servesTheOldVersionOnWhenALoadWithParametersFails",
    "UNLOADS_BEFORE_A_RELOAD,servesTheOldVersionOnWhenALoadWithParametersFails",
    "KEEPS_OLD_VERSIONS,loadsFilesOfTheRequestInPlaceOfAllFilesOfTheRepository",
    "IGNORES_CONFIG,keepsTheConfigurationOfARequestUntilTheRepositoryChanges"
        + " keepsWhatServesWhenAConfigurationCannotBeRead"
        + " loadsAModelAgainForEachConfigurationOfARequest"
        + " loadsAModelFromTheFilesOfTheRequest"
        + " loadsAModelWithTheConfigurationOfTheRequest"
        + " loadsFilesOfTheRequestInPlaceOfAllFilesOfTheRepository"
        + " rejectsAConfigurationThatNamesAnotherModel"
        + " servesTheOldVersionOnWhenALoadWithParametersFails",
    "FORGETS_CONFIG,keepsTheConfigurationOfARequestUntilTheRepositoryChanges",
    "KEEPS_CONFIG_FOR_EVER,keepsTheConfigurationOfARequestUntilTheRepositoryChanges",
    "LOADS_FILES_WITHOUT_CONFIG,rejectsFilesWithoutAConfiguration",
    "LOADS_FILES_OF_ANY_PATH,rejectsAFileThatIsAFolderToo"
        + " rejectsANameThatIsTooLongForAFile"
        + " rejectsFilesOutsideOfTheModel",
    "LISTS_MODELS_WITHOUT_A_FOLDER,loadsAModelFromTheFilesOfTheRequest"
  })
  void catchesDefectsOfLoadParameters(Defect defect, String tests) {
    assertCatches(LoadParameter.class, defect, tests);
  }

  @ParameterizedTest
  @CsvSource({
    "REJECTS_AN_UNKNOWN_UNLOAD,ignoresAModelThatIsUnknownOrNotLoaded",
    "SERVES_AFTER_UNLOAD,rejectsRequestsForAModelThatIsUnloaded",
    "IS_NOT_READY_AFTER_UNLOAD,isReadyThoughAModelIsUnloaded",
    "UNLOADS_FOR_AN_INVALID_REQUEST,keepsAModelForAnInvalidRequest"
  })
  void catchesDefectsOfUnloads(Defect defect, String tests) {
    assertCatches(Unload.class, defect, tests);
  }
}
