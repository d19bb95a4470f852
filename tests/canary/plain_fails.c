/* Canary: a plain test that fails. ctest must see it (declared WILL_FAIL in tests/cmake/canary.cmake). */
int main(void)
{
    return 1;
}
