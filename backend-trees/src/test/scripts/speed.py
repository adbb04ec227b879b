"""Trains the models whose speed is compared by io.nereid.trees.Speed.

usage: speed.py FOLDER

Prints the libraries of XGBoost and LightGBM that the comparison calls.
"""

import glob
import os
import sys

import lightgbm as lgb
import numpy as np
import xgboost as xgb

FEATURES = 30


def main():
    folder = sys.argv[1]
    os.makedirs(folder, exist_ok=True)
    rng = np.random.default_rng(1)
    x = rng.normal(size=(20000, FEATURES)).astype(np.float32)
    y = (x @ rng.normal(size=FEATURES) + np.sin(3 * x[:, 0]) * x[:, 1] + rng.normal(size=len(x)) > 0).astype(int)
    for trees, depth in ((100, 6), (500, 8)):
        model = xgb.train(
            {"objective": "binary:logistic", "max_depth": depth, "eta": 0.1, "tree_method": "hist"},
            xgb.DMatrix(x, y),
            trees,
        )
        model.save_model(os.path.join(folder, f"xgboost-{trees}x{depth}.json"))
    for trees, leaves in ((100, 63), (500, 255)):
        model = lgb.train(
            {"objective": "binary", "num_leaves": leaves, "learning_rate": 0.1, "verbosity": -1},
            lgb.Dataset(x, y),
            trees,
        )
        model.save_model(os.path.join(folder, f"lightgbm-{trees}x{leaves}.txt"))
    print(glob.glob(os.path.join(os.path.dirname(xgb.__file__), "lib", "*.so"))[0])
    print(glob.glob(os.path.join(os.path.dirname(lgb.__file__), "lib", "*.so"))[0])


main()
