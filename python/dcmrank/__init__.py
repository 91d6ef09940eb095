"""Learning to rank from clicks: DCM bandits, click models, a client of the ranking service.

>>> import dcmrank as dr
>>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
>>> result = dr.compare(problem, ["dcm-kl-ucb", "recommended"], steps=1000, runs=5, seed=1)
>>> result["recommended"].mean < 30
True
"""

from dcmrank._compare import compare
from dcmrank._core import version as __version__
from dcmrank._policies import NativePolicy, Policy, policies, policy
from dcmrank._problems import Bounds, Dcm, Problem, bounds, problem
from dcmrank._results import Comparison, Estimate, PolicyRuns
from dcmrank._users import Users

__all__ = [
    "Bounds",
    "Comparison",
    "Dcm",
    "Estimate",
    "NativePolicy",
    "Policy",
    "PolicyRuns",
    "Problem",
    "Users",
    "__version__",
    "bounds",
    "compare",
    "policies",
    "policy",
    "problem",
]
