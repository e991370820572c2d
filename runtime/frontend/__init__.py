"""Front ends: models that come from elsewhere, as compute graphs."""
