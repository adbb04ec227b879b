package io.nereid.trees;

import io.nereid.tensor.Elements;
import java.io.File;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * XGBoost's own Java package, {@code ml.dmlc:xgboost4j}, which is loaded from its jars since it
 * brings much else; {@code Booster.inplace_predict} on one thread. Its rows are an array, which is
 * copied from the segment as a server would have to.
 */
final class XgboostInJava implements Speed.Predictor {
  private final MethodHandle predict;
  private final float[] rows;
  private final int features;

  /**
   * @param jars a class path
   */
  XgboostInJava(String jars, Path model, int features, int mostRows) {
    this.features = features;
    rows = new float[mostRows * features];
    try {
      ClassLoader loader = new URLClassLoader(urls(jars)); // open until the process ends
      Class<?> type = loader.loadClass("ml.dmlc.xgboost4j.java.Booster");
      Class<?> library = loader.loadClass("ml.dmlc.xgboost4j.java.XGBoost");
      // Handles, since reflection would look for the types of all methods, such as Hadoop's.
      MethodHandles.Lookup lookup = MethodHandles.publicLookup();
      Object booster =
          lookup
              .findStatic(library, "loadModel", MethodType.methodType(type, String.class))
              .invoke(model.toString());
      lookup
          .findVirtual(
              type, "setParam", MethodType.methodType(void.class, String.class, Object.class))
          .invoke(booster, "nthread", 1);
      predict =
          lookup
              .findVirtual(
                  type,
                  "inplace_predict",
                  MethodType.methodType(
                      float[][].class, float[].class, int.class, int.class, float.class))
              .bindTo(booster);
    } catch (Throwable e) {
      throw new IllegalStateException("no XGBoost in " + jars, e);
    }
  }

  private static URL[] urls(String jars) throws MalformedURLException {
    List<URL> urls = new ArrayList<>();
    for (String jar : jars.split(File.pathSeparator, -1)) {
      urls.add(Path.of(jar).toUri().toURL());
    }
    return urls.toArray(URL[]::new);
  }

  @Override
  public double predict(MemorySegment input, int count) {
    MemorySegment.copy(input, Elements.FLOAT, 0, rows, 0, count * features);
    try {
      return ((float[][]) predict.invokeExact(rows, count, features, Float.NaN))[0][0];
    } catch (Throwable thrown) {
      throw new IllegalStateException(thrown);
    }
  }
}
