/**
 * The requests of the baseline's cells, encoded once. Immutable. Knows the protocol's messages, but
 * not how they travel. Read {@link io.nereid.benchmarks.load.preset.Preset} first.
 */
@NullMarked
package io.nereid.benchmarks.load.preset;

import org.jspecify.annotations.NullMarked;
