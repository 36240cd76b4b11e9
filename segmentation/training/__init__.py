"""Training: settings, tasks, losses, schedule, evaluation, run folders and reports."""
