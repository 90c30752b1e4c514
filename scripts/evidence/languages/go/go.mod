module cupel.dev/evidence

go 1.24
