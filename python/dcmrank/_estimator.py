"""scikit-learn's conventions for parameters, without scikit-learn."""

from __future__ import annotations

import inspect
from typing import Any, TypeVar

Self = TypeVar("Self", bound="Estimator")


class Estimator:
    """The constructor stores its parameters as they are; clone, get_params and set_params work."""

    @classmethod
    def _parameter_names(cls) -> list[str]:
        names = list(inspect.signature(cls.__init__).parameters)
        return sorted(name for name in names if name != "self")

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The parameters that the model was made with, by name."""
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: Self, **params: Any) -> Self:
        """Changes parameters; the model must be fitted again to follow them."""
        known = self._parameter_names()
        for name, value in params.items():
            if name not in known:
                raise ValueError(
                    f"{type(self).__name__} has no parameter {name!r}: it has {', '.join(known)}"
                )
            setattr(self, name, value)
        return self

    def __sklearn_tags__(self) -> Any:
        from sklearn.utils import InputTags, Tags, TargetTags

        return Tags(
            estimator_type=None,
            target_tags=TargetTags(required=False),
            transformer_tags=None,
            classifier_tags=None,
            regressor_tags=None,
            input_tags=InputTags(two_d_array=False),
            requires_fit=True,
        )

    def __repr__(self) -> str:
        defaults = inspect.signature(type(self).__init__).parameters
        changed = [
            f"{name}={value!r}"
            for name, value in self.get_params().items()
            if value is not defaults[name].default and value != defaults[name].default
        ]
        return f"{type(self).__name__}({', '.join(changed)})"
