"""Control flow: operators that own graphs of the model and run one of them, or one of them again and again."""
