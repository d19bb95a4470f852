# Commands to the ticking thread; batches and net differences to consumers.
pharos_unit_test(NAME unit_backlog SOURCES unit/test_backlog.c)
pharos_unit_test(NAME unit_cmdq SOURCES unit/test_cmdq.c)
pharos_unit_test(NAME unit_coalesce SOURCES unit/test_coalesce.c)
pharos_unit_test(NAME unit_consumer SOURCES unit/test_consumer.c)
pharos_plain_test(NAME stress_cmdq SOURCES concurrency/stress_cmdq.c LABELS concurrency)
pharos_plain_test(NAME stress_consumer SOURCES concurrency/stress_consumer.c LABELS concurrency)
