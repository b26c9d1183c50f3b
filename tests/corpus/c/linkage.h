#ifndef DEMO_H
#define DEMO_H

#ifdef __cplusplus
extern "C" {
#endif

enum demo_kind { DEMO_A, DEMO_B = 4, DEMO_LAST };
typedef int (*demo_fn)(void *data, int count);
extern const char *const demo_names[], *demo_version;

struct demo {
    int x, y;
    int (*callback)(struct demo *self);
};

int demo_open(const char *path);

#ifdef __cplusplus
}
#endif
#endif
