"""Measures the whole path: a load over gRPC, through log, fold, evaluator and ledger, to the commit of each entry."""
