/* starts.c: starts a program in a child, in an environment without any variable, by one of the
 * system's functions: starts HOW PROGRAM ARGUMENT. */

#define _GNU_SOURCE
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int run(const char *how, char **arguments) {
    const char *path = arguments[0];
    char *none[] = {NULL};
    char command[4096];
    snprintf(command, sizeof(command), "'%s' '%s'", path, arguments[1]);
    pid_t child = 0;
    int status = 1;
    if (strcmp(how, "execve") == 0)
        execve(path, arguments, none);
    else if (strcmp(how, "execle") == 0)
        execle(path, path, arguments[1], (char *)NULL, none);
    else if (strcmp(how, "execvpe") == 0)
        execvpe(path, arguments, none);
    else if (strcmp(how, "fexecve") == 0)
        fexecve(open(path, O_RDONLY | O_CLOEXEC), arguments, none);
    else if (strcmp(how, "execveat") == 0)
        execveat(AT_FDCWD, path, arguments, none, 0);
    else if (strcmp(how, "posix_spawn") == 0)
        posix_spawn(&child, path, NULL, NULL, arguments, none);
    else if (strcmp(how, "posix_spawnp") == 0)
        posix_spawnp(&child, path, NULL, NULL, arguments, none);
    if (child > 0) {
        waitpid(child, &status, 0);
        return status;
    }
    clearenv();
    if (strcmp(how, "execv") == 0)
        execv(path, arguments);
    else if (strcmp(how, "execvp") == 0)
        execvp(path, arguments);
    else if (strcmp(how, "execl") == 0)
        execl(path, path, arguments[1], (char *)NULL);
    else if (strcmp(how, "execlp") == 0)
        execlp(path, path, arguments[1], (char *)NULL);
    else if (strcmp(how, "system") == 0)
        return system(command);
    else if (strcmp(how, "popen") == 0)
        return pclose(popen(command, "r"));
    return 9;
}

int main(int count, char **arguments) {
    if (count != 4)
        return 8;
    pid_t child = fork();
    if (child == 0)
        _exit(run(arguments[1], arguments + 2) == 0 ? 0 : 1);
    int status = 0;
    waitpid(child, &status, 0);
    return status != 0;
}
