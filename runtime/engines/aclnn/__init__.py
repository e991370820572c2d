"""aclnn operators: code of the operator's author that launches its own kernels."""
