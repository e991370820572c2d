"""What a person looks at: view models, the terminal screens, and graphs drawn with Graphviz."""
