@NullMarked
package io.nereid.junit;

import org.jspecify.annotations.NullMarked;
