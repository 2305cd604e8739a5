"""What every pass stands on: transforms, their options, pipelines and the pass manager."""
