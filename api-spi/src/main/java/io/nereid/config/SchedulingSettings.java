package io.nereid.config;

/** Which scheduler hands requests to a model's instances: {@code scheduling_choice}. */
public sealed interface SchedulingSettings
    permits SchedulingSettings.Direct, BatchingSettings, SequenceSettings, EnsembleSettings {
  /** No scheduler configured: each request is a batch of its own, in order of arrival. */
  record Direct() implements SchedulingSettings {}
}
