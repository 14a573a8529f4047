"""What is asked for on a check: buttons of people, second passes of the policy."""
