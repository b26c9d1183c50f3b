/* License. */
#ifndef ODD_H
#define ODD_H
#include <stdio.h>

#define MAX(a, b) \
    ((a) > (b) ? (a) : (b))
#define LIMIT 10

typedef unsigned int uint;
typedef struct node {
    struct node *next;
    char name[16];
    int (*compare)(const void *, const void *);
} node_t;
typedef int (*handler)(int);

enum colour { RED, GREEN = 2 };
union both { int i; float f; };
struct forward;

static const char *names[] = { "a", "b" };
extern int counter;

/* Prototype. */
int add(int a, int b);
static inline char **split(const char *text, int *count);

/* Adds. */
int
add(int a, int b)
{
    int local = a;
    return local + b;
}

static inline char **split(const char *text, int *count) {
    if (count) { *count = '}'; }
    return 0;
}
#endif
