"""The image and video engine of the device."""
