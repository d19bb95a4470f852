module pharos

go 1.19
