"""What this installation needs to work, each looked at once, with what to do where it fails."""
