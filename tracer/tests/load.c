/* load.c: loads known.c as a module with libraries of its own, as Python does, and calls its main
 * function: load MODULE CALLS. */

#include <dlfcn.h>
#include <stdio.h>

int main(int count, char **arguments) {
    void *module = count > 2 ? dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL) : NULL;
    if (module == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        return 8;
    }
    int (*begin)(int, char **) = (int (*)(int, char **))dlsym(module, "main");
    return begin(count - 1, arguments + 1);
}
