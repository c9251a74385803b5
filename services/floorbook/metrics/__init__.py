"""What is measured (`catalogue.py`), and the service that measures the business from the streams."""
