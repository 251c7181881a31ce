"""The `tune` maker: finds constants, and lets Optuna move them. Importing it does not import Optuna."""

from jumar.makers.tune.constants import find_constants, rewrite
from jumar.makers.tune.maker import Tune
from jumar.makers.tune.model import Constant

__all__ = ["Constant", "Tune", "find_constants", "rewrite"]
