@NullMarked
package io.nereid.junit.jvm;

import org.jspecify.annotations.NullMarked;
