# Tests of src/codec.
