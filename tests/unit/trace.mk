# Tests of src/trace.
