"""`python -m llmeval` is `llmeval`."""

from llmeval.cli import main

if __name__ == "__main__":
    main()
