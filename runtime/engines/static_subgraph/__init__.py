"""Static sub graphs: graphs of known shapes that were compiled into one model, run by one kernel."""
