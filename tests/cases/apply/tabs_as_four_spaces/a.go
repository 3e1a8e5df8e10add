package a

func f() {
	if a {
		b()
	}
}
