/** Tests of the backend for text models; the models are made by {@code models.py}. */
@org.jspecify.annotations.NullMarked
package io.nereid.text;
