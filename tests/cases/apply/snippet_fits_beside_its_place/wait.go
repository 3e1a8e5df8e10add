package a

func wait(n int) {
	for i := 0; i < n; i++ {
		if ready(i) {
			return
		}

		// Waits longer each time.
		pause := time.Duration(10*(1<<i)) * time.Millisecond
		if pause > longest {
			pause = longest
		}
		time.Sleep(pause)
	}
}
