# Tests of src/model.
