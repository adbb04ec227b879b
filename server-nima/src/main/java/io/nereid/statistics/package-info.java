/**
 * What a model version has done so far: how many requests, how long they took, what became of them.
 * Knows the contract with backends and nothing else. Each instance counts for itself, in numbers
 * that only its thread writes, so that counting takes neither lock nor allocation; whoever asks has
 * them summed. Read {@link io.nereid.statistics.ModelStatistics} first.
 */
@NullMarked
package io.nereid.statistics;

import org.jspecify.annotations.NullMarked;
