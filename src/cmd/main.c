/* cmd/main.c: the way in. Finds the command, runs it, turns its error into one line and an exit status. */
#include "cmd/cmd.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
    cmd_start(argc, argv);
    if (argc < 2)
        return cmd_overview(stderr, 2);
    if (!strcmp(argv[1], "--help") || !strcmp(argv[1], "-h") || !strcmp(argv[1], "help"))
        return argc > 2 ? cmd_help(argv[2], argc > 3 ? argv[3] : NULL) : cmd_overview(stdout, 0);
    if (!strcmp(argv[1], "--version"))
        return cmd_version();

    struct pl_error err = {PL_OK, ""};
    const struct pl_command *command = cmd_find(argv[1], &err);
    enum pl_err rc = command ? command->run(argc - 1, argv + 1, &err) : err.code;
    return cmd_finish(rc, &err);
}
