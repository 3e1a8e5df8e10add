package main

func run() int {
	return 0
}
