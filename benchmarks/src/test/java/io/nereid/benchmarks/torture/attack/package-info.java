@NullMarked
package io.nereid.benchmarks.torture.attack;

import org.jspecify.annotations.NullMarked;
