package io.nereid.spring;

import io.nereid.error.InferenceException;
import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/** Says why an application does not start whose models cannot be loaded, without a stack trace. */
class EngineFailureAnalyzer extends AbstractFailureAnalyzer<InferenceException> {
  @Override
  protected FailureAnalysis analyze(Throwable root, InferenceException failure) {
    return new FailureAnalysis(
        failure.getMessage(),
        "Mend the models in the directory that nereid.engine.repository names, or name others in"
            + " nereid.engine.models. nereid lint <directory> finds what would fail.",
        failure);
  }
}
