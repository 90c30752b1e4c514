/* load.c: loads known.c as a module with libraries of its own, as Python does, and calls its main
 * function: load MODULE CALLS. With a third argument, the module takes functions from its own
 * libraries first, as hosts of plug-ins have it. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
    int flags = RTLD_LOCAL | (count > 3 ? RTLD_LAZY | RTLD_DEEPBIND : RTLD_NOW);
    void *module = count > 2 ? dlopen(arguments[1], flags) : NULL;
    if (module == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 8;
    }
    int (*begin)(int, char **) = (int (*)(int, char **))dlsym(module, "main");
    return begin(count - 1, arguments + 1);
}
