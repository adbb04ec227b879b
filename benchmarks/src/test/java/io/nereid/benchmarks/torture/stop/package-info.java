@NullMarked
package io.nereid.benchmarks.torture.stop;

import org.jspecify.annotations.NullMarked;
