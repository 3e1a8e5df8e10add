"""Faults put into small programs, for faults_bench.py."""
