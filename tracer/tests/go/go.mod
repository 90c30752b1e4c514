module known

go 1.21
