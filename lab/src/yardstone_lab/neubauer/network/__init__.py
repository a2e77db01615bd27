"""The Set Transformer: training, the search of its hyper-parameters, and use."""
