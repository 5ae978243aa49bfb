"""The mistakes a user can make, and what cannot be graded.

LLMEvalError
├── ConfigurationError (also a ValueError)   raised before the first trial
│   ├── DeclarationError      an evaluation, criterion, hook or adapter is declared wrongly
│   ├── DiscoveryError        an evaluation file cannot be found or imported
│   ├── SelectionError        a name, case, tag or filter selects nothing
│   ├── OptionError           an option of a run has no meaning
│   ├── DatasetError          a dataset or a case is wrong
│   ├── EvaluatorConfigError  an evaluator cannot do what is asked of it
│   ├── LifespanError         what a run needs around it cannot be opened
│   ├── ReportFileError       a report file cannot be read as one
│   └── ResumeError           a run cannot be resumed as it stands
├── EvidenceError             what the application returned cannot be shown to an evaluator
└── EvaluatorError            an evaluator did not deliver a verdict
"""

__all__ = [
    "ConfigurationError",
    "DatasetError",
    "DeclarationError",
    "DiscoveryError",
    "EvaluatorConfigError",
    "EvaluatorError",
    "EvidenceError",
    "LLMEvalError",
    "LifespanError",
    "OptionError",
    "ReportFileError",
    "ResumeError",
    "SelectionError",
]


class LLMEvalError(Exception):
    """Any error that llmeval raises on purpose."""


class ConfigurationError(LLMEvalError, ValueError):
    """A mistake that is found before the first trial; the command line exits with 2."""


class DeclarationError(ConfigurationError):
    """An evaluation, criterion, hook or adapter is declared wrongly."""


class DiscoveryError(ConfigurationError):
    """An evaluation file cannot be found or imported."""


class SelectionError(ConfigurationError):
    """A name, case, tag or filter selects nothing."""


class OptionError(ConfigurationError):
    """An option of a run has no meaning."""


class DatasetError(ConfigurationError):
    """A dataset or one of its cases is wrong; the message names the file and the line, or the case."""


class EvaluatorConfigError(ConfigurationError):
    """An evaluator cannot do what is asked of it."""


class LifespanError(ConfigurationError):
    """What a run needs around it, its lifespan, cannot be opened."""


class ReportFileError(ConfigurationError):
    """A report file cannot be read as one."""


class ResumeError(ConfigurationError):
    """A run cannot be resumed as it stands."""


class EvidenceError(LLMEvalError):
    """What the application returned cannot be shown to an evaluator; recorded on the trial."""


class EvaluatorError(LLMEvalError):
    """An evaluator did not deliver a verdict; recorded on each result it was asked for."""
