"""Independent tasks: in processes, in threads, or on a cluster, with progress and warnings brought home."""
