"""Learning to rank from clicks: DCM bandits, click models, a client of the ranking service.

>>> import dcmrank as dr
>>> problem = dr.Dcm(attraction=[.6, .5, .4, .1], termination=[.5, .1])
>>> result = dr.compare(problem, ["dcm-kl-ucb", "recommended"], steps=1000, runs=5, seed=1)
>>> result["recommended"].mean < 30
True
"""

from dcmrank import spark
from dcmrank._chain_models import ClickChainModel, DynamicBayesianModel, SimplifiedDBN
from dcmrank._click_model import ClickModel
from dcmrank._compare import compare
from dcmrank._core import version as __version__
from dcmrank._examples import example_log
from dcmrank._logs import Counts, Log, LogWarning, count, read_log
from dcmrank._models import (
    CascadeModel,
    ClickThroughRate,
    DependentClickModel,
    PositionBasedModel,
    UserBrowsingModel,
    load,
)
from dcmrank._policies import NativePolicy, Policy, policies, policy, policy_options
from dcmrank._problems import Bounds, Dcm, Problem, bounds, problem
from dcmrank._results import Comparison, Estimate, PolicyRuns
from dcmrank._scores import ConvergenceWarning, ExtrapolationWarning, NotFittedError, Scores
from dcmrank._tables import Table
from dcmrank._users import Users
from dcmrank.client import Candidate, Click, Client, Close, NoAnswer, Page, ServiceError

__all__ = [
    "Bounds",
    "Candidate",
    "CascadeModel",
    "Click",
    "ClickChainModel",
    "ClickModel",
    "ClickThroughRate",
    "Client",
    "Close",
    "Comparison",
    "ConvergenceWarning",
    "Counts",
    "Dcm",
    "DependentClickModel",
    "DynamicBayesianModel",
    "Estimate",
    "ExtrapolationWarning",
    "Log",
    "LogWarning",
    "NativePolicy",
    "NoAnswer",
    "NotFittedError",
    "Page",
    "Policy",
    "PolicyRuns",
    "PositionBasedModel",
    "Problem",
    "Scores",
    "ServiceError",
    "SimplifiedDBN",
    "Table",
    "UserBrowsingModel",
    "Users",
    "__version__",
    "bounds",
    "compare",
    "count",
    "example_log",
    "load",
    "policies",
    "policy",
    "policy_options",
    "problem",
    "read_log",
    "spark",
]
