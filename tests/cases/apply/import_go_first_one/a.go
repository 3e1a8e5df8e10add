package a

func P() int {
	return 1
}
