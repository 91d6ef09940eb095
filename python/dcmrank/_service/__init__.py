"""What `dcmrank.Client` is made of: values, checks of input, connections, and sending again."""
