@NullMarked
package io.nereid.benchmarks.torture.wire;

import org.jspecify.annotations.NullMarked;
