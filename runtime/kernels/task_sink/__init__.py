"""Static models: a graph of known shapes, planned as a whole and run on the device by one task (GE's v1 TaskSink)."""
