/*
 * Canary: a not-a-number position becomes a tower index, the classic of grids; UBSan must
 * report it (float-cast-overflow, which gcc does not count among "undefined").
 */
#include <math.h>

int main(void)
{
    volatile float position = NAN;
    volatile int tower = (int)(position / 100.0f);
    return tower == 12345;
}
