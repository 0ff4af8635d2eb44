"""What manifests declare, what lock files record of it, and where the two parted."""
