"""Benchmarks: workloads as data, a sameness check, fresh processes interleaved, raw samples kept."""
