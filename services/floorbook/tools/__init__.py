"""What operators look with: tools that read topics and change nothing."""
