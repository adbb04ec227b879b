"""Trains models with XGBoost, LightGBM and scikit-learn, and writes what the libraries predict.

usage: oracle.py FOLDER [SEEDS]

Without SEEDS the folder gets one small model of each kind, and "columns" beside it models of data frames: those
that are committed as src/test/resources. With it, so many models of each kind, of all sizes.

A case is a folder with the model's file, rows.f32 or rows.f64 (floats or doubles), and a file for each
kind of output that the library has, prediction and margin above all, .f32 or .f64 by what it computes;
contributions are the library's own, of scikit-learn those of shap, and offset.f64 is the offset_ of an
isolation forest. All files are little-endian.

needs: xgboost-cpu lightgbm treelite scikit-learn shap pandas (see oracle.txt for the versions). With
LIGHTGBM, a version, that of LightGBM is on PYTHONPATH, and its models alone are made.
"""

import os
import sys
import warnings

import lightgbm as lgb
import numpy as np
import pandas as pd
import scipy.special
import shap
import sklearn.ensemble as skl
import treelite
import xgboost as xgb

warnings.filterwarnings("ignore")

ODD = np.array([0.0, -0.0, 1e-36, -1e-36, 1e-35, -2e-35, 3e38, -3e38, np.nan, 1.5, -0.5], np.float32)


class Data:
    """Rows to train with and rows to predict, with missing values and categories."""

    def __init__(self, seed, small, missing=0.0, categories=0, zeros=0.0, finite=False, doubles=False):
        self.doubles = doubles  # a time in milliseconds first, and values that are no floats
        self.rng = np.random.default_rng(seed)
        rng = self.rng
        self.features = 4 if small else int(rng.integers(1, 40))
        self.rows = 200 if small else int(rng.choice([50, 300, 1500]))
        self.tests = 16 if small else 257
        self.categories = categories if small or not categories else int(rng.integers(2, 70))
        self.x = self.draw(self.rows, missing, zeros)
        self.test = self.draw(self.tests, missing, zeros)
        odd = rng.choice(ODD, (self.tests // 4, self.features)).astype(self.test.dtype)
        if doubles:
            odd[:, 0] = self.test[: len(odd), 0]
        self.test[: len(odd)] = odd
        if self.categories:
            self.test[1, 0] = self.categories + 40  # never seen
            self.test[2, 0] = np.nan
            self.test[3, 0] = 1.7
        if finite:
            self.test = np.nan_to_num(self.test, nan=0.25)
        clean = np.nan_to_num(self.x.astype(np.float64), nan=0.3)
        if doubles:
            clean[:, 0] = (clean[:, 0] - 1.7e12) / 1e6
        self.signal = clean @ rng.normal(size=self.features) + np.sin(3 * clean[:, 0])
        if self.categories:
            effect = rng.normal(size=self.categories) * 2
            self.signal = self.signal + effect[np.clip(clean[:, 0], 0, self.categories - 1).astype(int)]

    def draw(self, rows, missing, zeros):
        rng = self.rng
        x = rng.normal(size=(rows, self.features))
        coarse = rng.random(self.features) < 0.5
        x[:, coarse] = np.round(x[:, coarse], 1)  # so that values are equal to thresholds
        if self.categories:
            x[:, 0] = rng.integers(0, self.categories, rows)
        if zeros:
            x[rng.random(x.shape) < zeros] = 0.0
        if self.doubles:
            x[:, 0] = 1.7e12 + rng.integers(0, 3_000_000, rows)
            x[:, 1:] = x[:, 1:] + rng.integers(0, 3, x[:, 1:].shape) * 1e-9
        if missing:
            x[rng.random(x.shape) < missing] = np.nan
        return x if self.doubles else x.astype(np.float32)

    def labels(self, kind):
        rng, s = self.rng, self.signal
        noisy = s + rng.normal(size=len(s)) * 0.3
        if kind == "real":
            return noisy
        if kind == "positive":
            return np.exp(np.clip(noisy, -3, 3)) + 0.01
        if kind == "count":
            return rng.poisson(np.exp(np.clip(noisy, -3, 3)))
        if kind == "fraction":
            return scipy.special.expit(noisy)
        if kind == "binary":
            return (noisy > np.median(noisy)).astype(int)
        classes = int(kind)
        return np.argsort(np.argsort(noisy)) * classes // len(noisy)


def few(kind):
    """Rounds of a small model: with several outputs each round makes several trees."""
    several = ("forest", "softmax", "dartmulti", "targets", "labels", "quantile", "ova", "rfmulti")
    return 1 if kind in several else 2


def explained(explain):
    """Contributions, or None where the library has none for that model."""
    try:
        return explain()
    except Exception:
        return None


def shap_values(estimator, rows):
    """By row, output and feature; the expected value is the last feature."""
    explainer = shap.TreeExplainer(estimator, feature_perturbation="tree_path_dependent")
    values = explainer.shap_values(rows, check_additivity=False)
    values = values[:, None, :] if values.ndim == 2 else values.transpose(0, 2, 1)
    expected = np.broadcast_to(np.reshape(explainer.expected_value, (1, -1, 1)), (*values.shape[:2], 1))
    return np.concatenate([values, expected], axis=2)


def write(folder, name, file, data, prediction, margin, **others):
    path = os.path.join(folder, name)
    os.makedirs(path, exist_ok=True)
    file(path)
    for what, values in {"rows": data.test, "prediction": prediction, "margin": margin, **others}.items():
        if values is not None:
            values = np.asarray(values)
            suffix = "f32" if values.dtype == np.float32 else "f64"
            values.astype("<f4" if suffix == "f32" else "<f8").tofile(os.path.join(path, f"{what}.{suffix}"))


def reloaded(folder, name, save, load):
    """What was saved is what is predicted with."""
    os.makedirs(folder, exist_ok=True)
    file = os.path.join(folder, name)
    save(file)
    model = load(file)
    os.remove(file)
    return model


XGB = {
    # kind: objective, labels, parameters, options of the data
    "squarederror": ("reg:squarederror", "real", {}, {}),
    "missing": ("reg:squarederror", "real", {}, {"missing": 0.2}),
    "logistic": ("binary:logistic", "binary", {}, {"missing": 0.1}),
    "reglogistic": ("reg:logistic", "fraction", {}, {}),
    "logitraw": ("binary:logitraw", "binary", {}, {}),
    "hinge": ("binary:hinge", "binary", {}, {}),
    "softprob": ("multi:softprob", "4", {"num_class": 4}, {"missing": 0.1}),
    "softmax": ("multi:softmax", "3", {"num_class": 3}, {}),
    "poisson": ("count:poisson", "count", {}, {}),
    "gamma": ("reg:gamma", "positive", {}, {}),
    "tweedie": ("reg:tweedie", "positive", {}, {}),
    "cox": ("survival:cox", "positive", {}, {}),
    "aft": ("survival:aft", "positive", {}, {}),
    "squaredlog": ("reg:squaredlogerror", "positive", {}, {}),
    "pseudohuber": ("reg:pseudohubererror", "real", {}, {}),
    "absolute": ("reg:absoluteerror", "real", {}, {}),
    "quantile": ("reg:quantileerror", "real", {"quantile_alpha": [0.1, 0.5, 0.9]}, {}),
    "pairwise": ("rank:pairwise", "5", {}, {}),
    "ndcg": ("rank:ndcg", "5", {}, {"missing": 0.1}),
    "rankmap": ("rank:map", "binary", {}, {}),
    "dart": ("binary:logistic", "binary", {"booster": "dart", "rate_drop": 0.4, "one_drop": 1}, {}),
    "dartmulti": ("multi:softprob", "3", {"booster": "dart", "rate_drop": 0.3, "num_class": 3}, {"missing": 0.1}),
    "categories": ("reg:squarederror", "real", {"max_cat_to_onehot": 1}, {"categories": 11, "missing": 0.1}),
    "onehot": ("binary:logistic", "binary", {"max_cat_to_onehot": 1000}, {"categories": 6}),
    "forest": ("reg:squarederror", "real", {"num_parallel_tree": 4, "subsample": 0.6, "eta": 1.0}, {}),
    "lossguide": ("reg:squarederror", "real", {"grow_policy": "lossguide", "max_leaves": 7, "max_depth": 0}, {}),
    "basescore": ("binary:logistic", "binary", {"base_score": 0.37}, {}),
    "targets": ("reg:squarederror", "targets", {}, {}),
    "vectors": ("reg:squarederror", "targets", {"multi_strategy": "multi_output_tree"}, {"missing": 0.1}),
    "vectorclasses": ("multi:softprob", "4", {"multi_strategy": "multi_output_tree", "num_class": 4}, {}),
    "labels": ("binary:logistic", "labels", {}, {"missing": 0.1}),
    "doubles": ("reg:squarederror", "real", {}, {"doubles": True, "missing": 0.1}),
}


def xgboost_case(folder, kind, seed, small):
    objective, labels, parameters, options = XGB[kind]
    data = Data(seed, small, **options)
    rng = data.rng
    if labels == "targets":
        y = np.stack([data.labels("real"), -0.5 * data.labels("real"), np.abs(data.labels("real"))], 1)
    elif labels == "labels":
        y = np.stack([data.labels("binary"), 1 - data.labels("binary")], 1)
    else:
        y = data.labels(labels)
    settings = {
        "objective": objective,
        "seed": seed,
        "nthread": 2,
        "tree_method": "hist",
        "max_depth": 3 if small else int(rng.integers(1, 11)),
        "eta": 0.3 if small else float(rng.choice([0.05, 0.3, 0.9])),
        **parameters,
    }
    types = None
    if data.categories:
        types = ["c"] + ["q"] * (data.features - 1)
    names = [f"f{i}" for i in range(data.features)] if seed % 3 == 0 else None
    x = data.x
    train = xgb.DMatrix(x, y, feature_types=types, enable_categorical=bool(types), feature_names=names)
    if objective.startswith("rank"):
        train.set_group([len(x) // 2, len(x) - len(x) // 2])
    if objective == "survival:aft":
        train = xgb.DMatrix(x, feature_names=names)
        train.set_float_info("label_lower_bound", y)
        train.set_float_info("label_upper_bound", y)
    rounds = few(kind) if small else int(rng.choice([1, 7, 40, 150]))
    model = xgb.train(settings, train, rounds)
    suffix = "ubj" if seed % 2 else "json"
    model = reloaded(folder, f"model.{suffix}", model.save_model, lambda file: xgb.Booster(model_file=file))
    model.set_param({"nthread": 1})
    test = xgb.DMatrix(data.test, feature_types=types, enable_categorical=bool(types), feature_names=names)
    margin = model.predict(test, output_margin=True)
    if kind == "logitraw":
        margin = model.predict(test)
    write(
        folder,
        f"xgb_{kind}_{seed}",
        lambda path: model.save_model(os.path.join(path, f"model.{suffix}")),
        data,
        model.predict(test),
        margin,
        contributions=explained(lambda: model.predict(test, pred_contribs=True)),
        **({"class": (model.predict(test) > 0.5).astype(np.float32)} if kind == "labels" else {}),
    )


def early_stopping_case(folder, kind, seed, small):
    """The wrapper for scikit-learn predicts with the best iteration, a booster with all."""
    data = Data(seed, small)
    half = len(data.x) // 2
    y = data.labels("3")
    settings = {"max_depth": 3, "learning_rate": 0.9, "n_jobs": 2, "early_stopping_rounds": 2}
    settings["num_parallel_tree"] = 2 if kind == "earlyforest" else 1
    rounds = 40
    suffix = "json" if kind != "earlystop" else "ubj"
    if kind == "earlybooster":
        settings = {"max_depth": 3, "eta": 0.9, "nthread": 2, "seed": seed, "objective": "multi:softprob", "num_class": 3}
        train, valid = xgb.DMatrix(data.x[:half], y[:half]), xgb.DMatrix(data.x[half:], y[half:])
        model = xgb.train(settings, train, rounds, evals=[(valid, "v")], early_stopping_rounds=2, verbose_eval=False)
        booster = model
        test = xgb.DMatrix(data.test)
        prediction, margin = model.predict(test), model.predict(test, output_margin=True)
    else:
        model = xgb.XGBClassifier(n_estimators=rounds, random_state=seed, **settings)
        model.fit(data.x[:half], y[:half], eval_set=[(data.x[half:], y[half:])], verbose=False)
        booster = model.get_booster()
        prediction, margin = model.predict_proba(data.test), model.predict(data.test, output_margin=True)
    assert model.best_iteration + 1 < booster.num_boosted_rounds()
    used = (0, 0 if booster is model else model.best_iteration + 1)
    explain = lambda: booster.predict(xgb.DMatrix(data.test), pred_contribs=True, iteration_range=used)
    write(
        folder,
        f"xgb_{kind}_{seed}",
        lambda path: model.save_model(os.path.join(path, f"model.{suffix}")),
        data,
        prediction,
        margin,
        contributions=explained(explain),
    )


EARLY = ("earlystop", "earlyforest", "earlybooster")

# a version of LightGBM of before, if its models are to be made
OLD = os.environ.get("LIGHTGBM", "")

LGB = {
    "regression": ("regression", "real", {}, {}),
    "sqrt": ("regression", "positive", {"reg_sqrt": True}, {}),
    "missing": ("regression", "real", {}, {"missing": 0.2}),
    "zeromissing": ("regression", "real", {"zero_as_missing": True}, {"zeros": 0.3, "missing": 0.1}),
    "nomissing": ("binary", "binary", {"use_missing": False}, {"zeros": 0.1}),
    "binary": ("binary", "binary", {"sigmoid": 0.7}, {"missing": 0.1}),
    "multiclass": ("multiclass", "4", {"num_class": 4}, {"missing": 0.1}),
    "ova": ("multiclassova", "3", {"num_class": 3, "sigmoid": 1.3}, {}),
    "poisson": ("poisson", "count", {}, {}),
    "gamma": ("gamma", "positive", {}, {}),
    "tweedie": ("tweedie", "positive", {}, {}),
    "l1": ("regression_l1", "real", {}, {}),
    "huber": ("huber", "real", {}, {}),
    "fair": ("fair", "real", {}, {}),
    "quantile": ("quantile", "real", {"alpha": 0.8}, {}),
    "mape": ("mape", "positive", {}, {}),
    "crossentropy": ("cross_entropy", "fraction", {}, {}),
    "lambda": ("cross_entropy_lambda", "fraction", {}, {}),
    "lambdarank": ("lambdarank", "5", {}, {"missing": 0.1}),
    "xendcg": ("rank_xendcg", "5", {}, {}),
    "categories": ("binary", "binary", {"min_data_per_group": 2, "cat_smooth": 1}, {"categories": 40, "missing": 0.1}),
    "dart": ("regression", "real", {"boosting": "dart", "drop_rate": 0.4}, {}),
    "goss": ("binary", "binary", {"data_sample_strategy": "goss"}, {}),
    "rf": ("regression", "real", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6}, {}),
    "rfmulti": ("multiclass", "3", {"boosting": "rf", "bagging_freq": 1, "bagging_fraction": 0.6, "num_class": 3}, {}),
    "stump": ("regression", "real", {"min_data_in_leaf": 100000}, {}),
    "doubles": ("binary", "binary", {}, {"doubles": True, "missing": 0.1}),
    "doubleszero": ("regression", "real", {"zero_as_missing": True}, {"doubles": True, "zeros": 0.2}),
    "linear": ("regression", "real", {"linear_tree": True}, {"missing": 0.1}),
    "lineardoubles": ("binary", "binary", {"linear_tree": True, "linear_lambda": 0.1}, {"doubles": True}),
}


def lightgbm_case(folder, kind, seed, small):
    objective, labels, parameters, options = LGB[kind]
    data = Data(seed, small, **options)
    rng = data.rng
    settings = {
        "objective": objective,
        "seed": seed,
        "num_threads": 2,
        "deterministic": True,
        "verbosity": -1,
        "min_data_in_leaf": 3,
        "num_leaves": 6 if small else int(rng.choice([3, 15, 63, 255])),
        "learning_rate": 0.3 if small else float(rng.choice([0.05, 0.3, 0.9])),
        **parameters,
    }
    group = [len(data.x) // 2, len(data.x) - len(data.x) // 2] if objective in ("lambdarank", "rank_xendcg") else None
    train = lgb.Dataset(
        data.x.astype(np.float64),
        data.labels(labels),
        group=group,
        categorical_feature=[0] if data.categories else [],
    )
    model = lgb.train(settings, train, few(kind) if small else int(rng.choice([1, 7, 40, 150])))
    model = reloaded(folder, "model.txt", model.save_model, lambda file: lgb.Booster(model_file=file))
    if "linear" not in kind:
        data.test[4, :] = np.inf
        data.test[5, 1:] = -np.inf
    options = {} if OLD else {"num_threads": 1}
    test = data.test.astype(np.float64)
    write(
        folder,
        f"lgb{OLD.replace('.', '')}_{kind}_{seed}",
        lambda path: model.save_model(os.path.join(path, "model.txt")),
        data,
        model.predict(test, **options),
        model.predict(test, raw_score=True, **options),
        # LightGBM 2.0 writes contributions beyond the end of their array
        contributions=None if OLD.startswith("2.0.") else explained(lambda: model.predict(test, pred_contrib=True, **options)),
    )


SKL = {
    "rf": (skl.RandomForestRegressor, "real", "predict"),
    "rfbinary": (skl.RandomForestClassifier, "binary", "predict_proba"),
    "rfclasses": (skl.RandomForestClassifier, "4", "predict_proba"),
    "rftargets": (skl.RandomForestRegressor, "targets", "predict"),
    "extra": (skl.ExtraTreesClassifier, "3", "predict_proba"),
    "boosting": (skl.GradientBoostingRegressor, "real", "predict"),
    "boostingbinary": (skl.GradientBoostingClassifier, "binary", "predict_proba"),
    "boostingclasses": (skl.GradientBoostingClassifier, "3", "predict_proba"),
    "hist": (skl.HistGradientBoostingRegressor, "real", "predict"),
    "histbinary": (skl.HistGradientBoostingClassifier, "binary", "predict_proba"),
    "isolation": (skl.IsolationForest, "none", "predict"),
    "rfdoubles": (skl.RandomForestRegressor, "real", "predict"),
    "rfoutputs": (skl.RandomForestClassifier, "outputs", "predict_proba"),
    "boostingdoubles": (skl.GradientBoostingRegressor, "real", "predict"),
    "histdoubles": (skl.HistGradientBoostingClassifier, "binary", "predict_proba"),
    "isolationauto": (skl.IsolationForest, "none", "predict"),
}


def sklearn_case(folder, kind, seed, small):
    make, labels, method = SKL[kind]
    hist = kind.startswith("hist")
    data = Data(seed, small, missing=0.1 if hist else 0.0, finite=not hist, doubles="doubles" in kind)
    rng = data.rng
    sizes = {"max_depth": 3 if small else int(rng.integers(2, 12))}
    if labels == "none":
        sizes = {"max_samples": 12 if small else 256}
        sizes["contamination"] = "auto" if kind == "isolationauto" else 0.2
    trees = 2 if small else int(rng.choice([1, 10, 60]))
    sizes["max_iter" if hist else "n_estimators"] = trees
    estimator = make(random_state=seed, **sizes)
    if labels == "none":
        estimator.fit(data.x)
    elif labels == "targets":
        estimator.fit(data.x, np.stack([data.labels("real"), -data.labels("real")], 1))
    elif labels == "outputs":
        estimator.fit(data.x, np.stack([data.labels("4"), data.labels("2")], 1))
    else:
        estimator.fit(data.x, data.labels(labels))
    prediction = getattr(estimator, method)(data.test)
    others = {}
    if labels == "none":
        others = {"score_samples": estimator.score_samples(data.test), "offset": [estimator.offset_]}
        others["margin"] = estimator.decision_function(data.test)
    elif labels == "outputs":
        prediction = np.concatenate(prediction, 1)
        others = {"class": estimator.predict(data.test).astype(np.float64)}
    contributions = None  # of classifiers of several targets shap divides by all probabilities together
    if labels != "outputs":
        contributions = explained(lambda: shap_values(estimator, data.test))
    model = treelite.sklearn.import_model(estimator)
    write(
        folder,
        f"skl_{kind}_{seed}",
        lambda path: model.serialize(os.path.join(path, "model.tl")),
        data,
        prediction.astype(np.float64),
        contributions=contributions,
        **{"margin": None, **others},
    )


def columns_cases(folder):
    """Models of data frames: the file, the rows as text with tabs, and the predictions."""
    rng = np.random.default_rng(5)
    rows = 240
    frame = pd.DataFrame({
        "age": rng.integers(18, 80, rows),
        "city": pd.Categorical(rng.choice(["oslo", "rome", "new york"], rows)),
        "size": pd.Categorical(rng.choice([10, 20, 40], rows)),
        "member": rng.random(rows) < 0.5,
        "income": np.where(rng.random(rows) < 0.2, np.nan, rng.normal(size=rows).round(2)),
    })
    city, size = frame["city"].astype(str), frame["size"].astype(int)
    y = ((frame["age"] > 50) & (city == "rome") | (size == 40) & (frame["income"] > 0)).astype(int)
    test = frame.sample(16, random_state=1)
    test.loc[test.index[0], "city"] = np.nan
    test.loc[test.index[1], ["size", "income"]] = np.nan
    models = {
        "xgb": (xgb.XGBClassifier(n_estimators=4, max_depth=3, enable_categorical=True), "model.json"),
        "lgb": (lgb.LGBMClassifier(n_estimators=4, verbose=-1, min_child_samples=3, min_data_per_group=2), "model.txt"),
    }
    for name, (model, file) in models.items():
        path = os.path.join(folder, name)
        os.makedirs(path, exist_ok=True)
        if name == "xgb":  # before 3.4 it stores letters beyond ASCII cut off: here cádi, zosl, orom
            cut = os.path.join(folder, "cut")
            os.makedirs(cut, exist_ok=True)
            model.fit(frame.assign(city=frame["city"].cat.rename_categories({"new york": "cádiz"})), y)
            model.save_model(os.path.join(cut, file))
        if name == "lgb":
            frame, test = (each.assign(city=each["city"].cat.rename_categories({"rome": "köln"})) for each in (frame, test))
        model.fit(frame, y)
        getattr(model, "booster_", model).save_model(os.path.join(path, file))
        test.astype({"member": int}).to_csv(os.path.join(path, "rows.tsv"), sep="\t", index=False)
        prediction = model.predict_proba(test)[:, 1]
        prediction.astype("<f4").tofile(os.path.join(path, "prediction.f32"))


def main():
    folder = sys.argv[1]
    small = len(sys.argv) < 3
    if small and not OLD:
        columns_cases(os.path.join(folder, "..", "columns"))
    seeds = range(1) if small else range(100, 100 + int(sys.argv[2]))
    makers = ((xgboost_case, XGB), (early_stopping_case, EARLY), (lightgbm_case, LGB), (sklearn_case, SKL))
    for make, kinds in ((lightgbm_case, LGB),) if OLD else makers:
        for number, kind in enumerate(kinds):
            for seed in seeds:
                try:
                    make(folder, kind, number % 7 if small else seed * 31 + number, small)
                except Exception as failure:  # the library's own refusal of that data
                    print(f"not made: {make.__name__} {kind} {seed}: {str(failure)[:200]}", file=sys.stderr)


main()
