#ifndef A_H
#define A_H

int f(void);

#endif
