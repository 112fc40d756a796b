# Tests of src/curve.
