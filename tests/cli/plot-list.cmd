pagelab plot --list
