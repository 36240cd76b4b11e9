"""Running code: the executor (in process, processes, Ray), child processes, threads, prefetching, progress."""
