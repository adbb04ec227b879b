@NullMarked
package io.nereid.benchmarks.load;

import org.jspecify.annotations.NullMarked;
