@NullMarked
package io.nereid.benchmarks.load.preset;

import org.jspecify.annotations.NullMarked;
