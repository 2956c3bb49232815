module example.test/partner

go 1.19
