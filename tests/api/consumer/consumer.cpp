/* The same program as C++: the headers' linkage and the records hold there too. */
#include "consumer.c"
