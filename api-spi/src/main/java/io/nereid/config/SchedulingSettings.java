package io.nereid.config;

/** {@code scheduling_choice}: the scheduler that dispatches requests to a model's instances. */
public sealed interface SchedulingSettings
    permits SchedulingSettings.Direct, BatchingSettings, SequenceSettings, EnsembleSettings {
  /** No scheduler is configured: each request is a batch of its own, in order of arrival. */
  record Direct() implements SchedulingSettings {}
}
