@NullMarked
package io.nereid.benchmarks.micro;

import org.jspecify.annotations.NullMarked;
