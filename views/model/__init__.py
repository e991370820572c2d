"""View models: what a screen or a drawing shows, computed from a store. Pure: no terminal, no Graphviz."""
