# Tests of src/base.
