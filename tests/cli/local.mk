# Golden command lines.
