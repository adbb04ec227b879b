@NullMarked
package io.nereid.benchmarks.load.stall;

import org.jspecify.annotations.NullMarked;
